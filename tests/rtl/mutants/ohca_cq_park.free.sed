# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a slot is free when its replay leaves, not when that is decided
s/if \(done_i\) valid_q\[slot_i\]/if (go) valid_q[rep_slot_o]/
