# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a length is that of client 0
s/\.data_i\(\{arb_sel, arb_data\}\)/.data_i({arb_sel, arb_data[ReqW-1:21], req_i[0][20:8], arb_data[7:0]})/
