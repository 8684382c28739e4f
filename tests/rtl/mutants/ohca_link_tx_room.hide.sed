# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The management core looks while others still take what they were shown.
# in: link_tx_room-DataWidth=64-NumVl=4-QWords=2048-Descs=64-StuckCycles=300
s/seq_q == 6'd8 /seq_q == 6'd2 /
