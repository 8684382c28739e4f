# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a response's entry is not counted
s/ent_used_q <= ent_used_q \+ \(EW\+1\)'\(iq_pop\)/ent_used_q <= ent_used_q + (EW+1)'(ent_free_q)/
