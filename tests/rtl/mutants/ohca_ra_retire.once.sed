# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a READ is asked for again by each answer behind it
s/judge_i \&\& ask \&\& !s_q\.seq_wait/judge_i \&\& ask/
