# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# One packet more than there are slots may begin.
s/assign slot_ok_o  = .*/assign slot_ok_o  = slots_used <= (SlotW+1)'(Slots);/
