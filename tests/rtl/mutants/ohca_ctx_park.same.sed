# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the set of a token in the slot that is taken in this cycle is what the slot had before
# in: Pass=1
s/\(slot_v_q && at_slot\[i\]\) \? last/1'b0 ? last/
