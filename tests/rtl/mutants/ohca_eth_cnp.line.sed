# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_cnp
# the time of another line is looked at
s/rd_addr_i\(ce_i.qpn\[5:0\]\)/rd_addr_i(ce_q.qpn[5:0])/
