# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A packet on the wire ends when the port goes Down.
# in: link_tx_out
s/in_q \? kill_q : \(!en_i \|\| /(in_q \&\& kill_q) || (!en_i || /
