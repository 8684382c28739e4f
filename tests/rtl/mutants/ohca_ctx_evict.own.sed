# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fill waits for the eviction that it makes itself, for ever
# in: DW=128
s/^    \{conflict, conf_at, conf_no, ev_made_q\}/    {conflict, {EvW{conflict}}, {EvW{conflict}}, ev_made_q + AgeW'(one_i)}/
