# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# slots of merged pushes are lost
# in: Merge=1
s/gone_q\[i\] \&\& gone_slot_q/1'b0 \&\& gone_slot_q/
