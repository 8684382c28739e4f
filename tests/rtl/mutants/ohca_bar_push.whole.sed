# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a whole push takes the slot of the first entry
s/pe_any_hit \? pe_slot_q\[pe_hit_idx\] : slot_pick/pe_slot_q[pe_hit_idx]/
