# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an error is told by the wrong bit
s/assign err_o = m_axi_bvalid_i \&\& m_axi_bresp_i\[1\]/assign err_o = m_axi_bvalid_i \&\& m_axi_bresp_i[0]/
