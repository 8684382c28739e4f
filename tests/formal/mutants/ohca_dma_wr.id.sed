# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# each client has an id
s/m_axi_awid_o    = 6'd0/m_axi_awid_o    = 6'(q_cli)/
