# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Same = 2: a token does not wait until what the one before it changed of its number is written
# in: DW=512-LineBytes=128-Sets=8-Ways=1-Stride=1024-Offset=256-Evicts=64-Fills=32-Depth=64-Pass=1-Same=2
s/o1_bad \|\| \(!o1_same && \(o1_fresh/o1_bad || ((o1_fresh/
