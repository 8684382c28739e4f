# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# lines are dropped while fills are under way, behind which they come back
# in: DW=512
s/InvWait:   if \(quiet_o\)/InvWait:   if (quiet_o || (inv_mtt_i \&\& !inv_all_i \&\& !c_valid))/
