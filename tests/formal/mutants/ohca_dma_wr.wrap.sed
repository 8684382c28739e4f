# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a burst wraps
s/(assign m_axi_awburst_o = )2'b01/\12'b10/
