# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a READ that finds no place behind writes holds up the input
# in: resp-Slots=16-PerSlot=32
s/\(w_some \|\| no_ring_q\)/(w_some || (no_ring_q \&\& !any_hit \&\& !any_free))/
