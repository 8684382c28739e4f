# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a beat that waits loses its bytes with a reset
# in: Soft=1
s/^  ohca_skid .*/  logic [BeatBytes-1:0] sk_strb;\n  assign m_axi_wstrb_o = kill_q ? '0 : sk_strb;\n&/
s/\.data_o\(\{m_axi_wdata_o, m_axi_wstrb_o,/.data_o({m_axi_wdata_o, sk_strb,/
