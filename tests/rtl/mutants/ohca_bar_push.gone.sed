# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# slots of merged pushes are lost
# in: Merge=1
s/if \(gone\[i\]\) slot_free_q.*$/begin end/
