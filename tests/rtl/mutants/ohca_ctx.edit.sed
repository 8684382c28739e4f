# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the next token takes what an edit has read
# in: Quarters=1
s/ && !iv_read_q && !x_word && !ed_ren;/ \&\& !iv_read_q;/
