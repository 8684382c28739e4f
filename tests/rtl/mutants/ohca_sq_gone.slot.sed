# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a piece that takes a slot while it is looked at is marked
s/ \&\& !\(put_i \&\& put_slot_i == at\[2:0\]\)//; s/if \(put_i\)     slot_gone_o/if (put_i \&\& !slot_is_q) slot_gone_o/
