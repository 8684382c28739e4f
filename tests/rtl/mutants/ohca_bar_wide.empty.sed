# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# quadwords of which nothing is enabled are written
s/strb_o == 8'd0\)/1'b0)/
