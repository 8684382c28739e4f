# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an address is sent again when nothing waits behind it
s/if \(m_axi_awready_i\) aw_valid_q <= 1.b0;/if (m_axi_awready_i \&\& (q_valid || arb_valid)) aw_valid_q <= 1'b0;/
