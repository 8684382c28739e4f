# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the wide port goes first whenever it has something
# in: DbStride=2
s/\(!w_want \|\| x_turn_q\)/1'b1/
