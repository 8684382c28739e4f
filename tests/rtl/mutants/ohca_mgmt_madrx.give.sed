# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a slot that is being filled is given back
s/if \(give_i \&\& full_q\[give_slot_i\]\)/if (give_i)/
