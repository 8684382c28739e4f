# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the word that says that a fetch failed counts as one that came
s/5'\(!word_i.err\)/5'd1/
