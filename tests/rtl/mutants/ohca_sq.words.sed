# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A header leaves before the last word of its WQE was read.
# in: Compact=1
s/assign h_go      = h_left_q == 2'd1;/assign h_go      = h_left_q == 2'd2;/
