# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the oldest entry is changed while it leaves
s/any_q \&\& !\(hit_q == next_q \&\& gone_q\)/any_q/
