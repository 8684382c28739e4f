# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the next token of the same number sees the old content
# in: DW=128
s/o1_hand \? out_wline_i\[HotBits-1:0\] : //
