# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the register is not reloaded for the next packet
# in: crc32-DataWidth=64-Granule=1
s/assign s_in = first_q \? m_seed : s_q;/assign s_in = s_q;/
