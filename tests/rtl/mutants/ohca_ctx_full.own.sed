# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fill waits for the eviction that it makes itself, for ever
# in: DW=128
s/s1_half_q \? half_conf_q : conflict, s1_half_q \? half_age_q : ev_made_q/s1_half_q ? half_conf_q : conflict, ev_made_q + AgeW'(ev_one)/
