# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an answer is taken for a slot of the other half
# in: MaxBeats=256
s/r_id_q   <= m_axi_rid_i\[TagW-1:0\];/r_id_q   <= m_axi_rid_i[TagW-1:0] ^ TagW'(Tags \/ 2);/
