# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what has left leaves again
s/left_q  <= .*/left_q  <= 1'b0;/
