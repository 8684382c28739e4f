# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an answer of the RAM is used although the line is being written
# in: DW=128
s/assign o1_fresh  = o1_fresh_q && !w_hit;/assign o1_fresh  = o1_fresh_q;/
