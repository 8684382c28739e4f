# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the same, of one whose list was too short
s/s_mark_i \? s_same\[i\] : s_poison_i && s_tid_o == TidW'\(i\)/(s_mark_i || s_poison_i) \&\& s_tid_o == TidW'(i)/
