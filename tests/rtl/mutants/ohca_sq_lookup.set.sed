# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the set of another number than the one that is looked up
s/at_t1 \? set_of\(rq_id_i\)/go_t1 ? set_of(db_i.qpn)/
