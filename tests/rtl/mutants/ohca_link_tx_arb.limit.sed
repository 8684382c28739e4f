# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What high priority has sent is not forgotten when low priority has had its packet.
# in: link_tx_arb
s/if \(rst_i \|\| take\[0\]\) high_cnt_q/if (rst_i) high_cnt_q/
