# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the next token of the same number sees the old content
# in: DW=512-LineBytes=128-Sets=8-Ways=1-Stride=1024-Offset=256-Evicts=64-Fills=32-Depth=64-Pass=1-Same=2
s/assign w_take    = .*;/assign w_take    = 1'b0;/;s/ && \(o1_fresh \|\| w_take\)\);/);/
