# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the word that says that a fetch failed counts as one that came
s/word_err_i \? 5'd0 : 5/5/
