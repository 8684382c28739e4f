# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an event leaves while the data of its CQE is not taken yet
# in: DW=64
s/\(!p_put \|\| any_q\)/1'b1/
