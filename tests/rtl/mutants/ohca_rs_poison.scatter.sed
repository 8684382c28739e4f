# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what follows a packet that failed in S passes W
/s_did \&\& s_did_poison .* w_bad_q/d
