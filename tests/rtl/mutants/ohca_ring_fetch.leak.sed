# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a refused range keeps its room
# in: DW=128
s/\+ \(\(iq_pop && !i_ok\) \? i_beats : '0\)/+ ((iq_pop \&\& !i_ok) ? (i_beats >> 1) : '0)/
