# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The management core's packet takes the room of answers that are on their way.
# in: link_tx_room-DataWidth=64-NumVl=4-QWords=2048-Descs=64-StuckCycles=300
s/13'\(words_q\) \+ 13'\(ResW\)/13'(words_q)/
