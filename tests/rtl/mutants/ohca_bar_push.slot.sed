# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# slots of torn pushes are lost
s/^.*slot_free_q\[pe_slot_q\[pe_hit_idx\]\] <= 1.*$//
