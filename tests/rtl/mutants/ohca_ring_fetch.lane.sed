# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the first word of an unaligned range is wrong
# in: DW=512
s/pos_q <= om\[2 \+: PosW\];/pos_q <= PosW'(om[3]);/
