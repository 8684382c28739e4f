# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the first word of an unaligned range is wrong
# in: DW=512
s/mid_q \? pos_q : o_first\[PosW-1:0\]/mid_q ? pos_q : PosW'(o_first[1])/
