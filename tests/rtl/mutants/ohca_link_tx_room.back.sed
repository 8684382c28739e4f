# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The room of a packet that was dropped is lost.
# in: link_tx_room-DataWidth=64-NumVl=4-QWords=2048-Descs=64-StuckCycles=300
s/back_valid_q\[v\] <= end_valid_i/back_valid_q[v] <= end_valid_i \&\& end_used_i/
