# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what comes after a reset is taken while what was before it ends
# in: Soft=1
s/^(  assign arb_room .*) \&\& !kill_q;/\1;/
