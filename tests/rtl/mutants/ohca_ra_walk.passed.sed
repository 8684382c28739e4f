# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a WQE whose words have all been passed by is not over
# in: Beat=4
s/w_full_q <= l_q != L_IDLE \&\& w_pos_d == w_words_q/w_full_q <= 1'b0/
