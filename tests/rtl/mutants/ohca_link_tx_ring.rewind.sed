# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What a bad packet has written stays in its ring.
# in: link_tx_ring
s/if \(back\[i\]\) wr_ptr_q/if (1'b0) wr_ptr_q/
