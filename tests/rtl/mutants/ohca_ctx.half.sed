# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the upper half of a line is not written
# in: Halves=1
s/assign hi_we = w2_q;/assign hi_we = 1'b0;/
