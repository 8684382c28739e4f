# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A packet with a rate goes though every place is of a packet under way.
# in: link_tx_may
s/if \(ipd_i\[v\] != 8'd0 \&\& none\)/if (1'b0)/
