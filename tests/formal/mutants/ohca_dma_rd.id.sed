# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an id bears a part of the tag
s/m_axi_arid_o   <= 6'\(alloc_q\);/m_axi_arid_o   <= 6'({q.tag, alloc_q});/
