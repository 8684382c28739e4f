# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a page's number is that of the request that comes next
s/m_axi_awaddr_o <= \{q.addr\[63:12\],/m_axi_awaddr_o <= {arb_req.addr[63:12],/
