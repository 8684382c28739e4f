# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what waited is taken once more, as its turn was found before it left
# in: Slots=4
s/w_turn && w_try && l_q == L_NONE/w_turn \&\& l_q == L_NONE/
