# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what follows a packet that failed in S passes W
/s_fire_i \&\& s_poison_i .* w_bad_q/d
