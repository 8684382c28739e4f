# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the last words of a WQE that are passed by do not end it
s/w_pos1 == w_words_q \|\| word_pass_last_i/word_pass_last_i/
