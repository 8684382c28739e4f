# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a slot is delivered only when there is another one behind it
# in: Soft=1
s/assign take   = cur_valid_q \&\& /assign take   = cur_valid_q \&\& live_q != (TagW+1)'(1) \&\& /
