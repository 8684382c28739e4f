# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what comes next stands still while a victim is being written back
# in: DW=512-LineBytes=128-Sets=8-Ways=1-Stride=1024-Offset=256-Evicts=64-Fills=32-Depth=64-Pass=1
s/assign h_free = (.*);/assign h_free = (\1) \&\& !wb_busy;/
