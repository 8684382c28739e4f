# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a WQE has a completion for each cycle in which its words are passed by
s/!past_q \&\& !told_q;/!past_q;/
