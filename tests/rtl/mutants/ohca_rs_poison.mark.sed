# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the poison of S does not end with its mark
s/s_fire_i \&\& \(s_mark_i \|\| s_poison_i\) \&\& s_tid_i/s_fire_i \&\& s_poison_i \&\& s_tid_i/
