# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an invalidation's accept lets the next token to the place of the one that stays in O1
s/\(o1_go && !o2_inval_q\)/o1_go/
