# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A packet whose ring is closed in the middle goes on.
# in: link_tx_ring
s/\(drop_q \|\| !open_i\[q_q\]\)/drop_q/
