# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the line above the block counts as its
# in: tpt-DW=512-MptLines=64-MttLines=256
s/SetW \+ i < 32'\(in_block\)/SetW + i <= 32'(in_block)/
