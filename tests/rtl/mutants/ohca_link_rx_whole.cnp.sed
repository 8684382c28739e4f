# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A packet of InfiniBand with the opcode of a congestion notification is taken for one.
s/assign s_cnp = p_eth && /assign s_cnp = /
