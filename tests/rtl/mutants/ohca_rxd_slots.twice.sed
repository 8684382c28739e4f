# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a packet is put where the one that came just before lies
s/busy_q \| mine_q;/busy_q;/
