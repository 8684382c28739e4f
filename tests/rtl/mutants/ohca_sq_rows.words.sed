# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A row leaves before the last word of its WQE was read.
# in: Compact=1
s/assign row_go_o    = left_q == '0 \&\& /assign row_go_o    = left_q == 3'd1 \&\& /
