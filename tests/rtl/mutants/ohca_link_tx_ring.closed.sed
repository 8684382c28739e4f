# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A packet whose ring is closed in the middle goes on.
# in: link_tx_ring
s/ \|\| !open_i\[q\]|else if \(!open_i\[q_q\]\) drop_q <= 1'b1;//
