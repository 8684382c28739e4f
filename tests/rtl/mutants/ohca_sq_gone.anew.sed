# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a descriptor that takes a slot while it is looked at is marked
s/ \&\& !\(desc_i \&\& desc_slot_i == at_desc\)//; s/if \(desc_i\)    desc_gone_o/if (desc_i \&\& !desc_is_q) desc_gone_o/
