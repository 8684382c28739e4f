# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a miss goes to O1 before its fill is there, and holds up the hits
# in: DW=512-LineBytes=128-Sets=8-Ways=1-Stride=1024-Offset=256-Evicts=64-Fills=32-Depth=64-Pass=1
s/\(!st_ok \|\| lines_q != '0\)/(!st_ok || 1'b1)/
