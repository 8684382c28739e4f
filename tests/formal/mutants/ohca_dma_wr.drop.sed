# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# AWVALID goes away without AWREADY
s/if \(m_axi_awready_i\) aw_valid_q <= 1.b0;/aw_valid_q <= 1'b0;/
