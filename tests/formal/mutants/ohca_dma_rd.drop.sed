# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# ARVALID goes away without ARREADY
s/if \(m_axi_arready_i\) ar_valid_q <= 1.b0;/ar_valid_q <= 1'b0;/
