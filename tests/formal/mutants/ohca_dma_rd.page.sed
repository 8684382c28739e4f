# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a page number is the request before
s/m_axi_araddr_o <= \{q.addr\[63:12\],/m_axi_araddr_o <= {q.addr[63:13], arb_data[21],/
