# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What is flushed is free only if nothing is read in that cycle.
# in: link_tx_room-DataWidth=64-NumVl=4-QWords=2048-Descs=64-StuckCycles=300
s/\(flushed_i\[v\] \? flush_words_i/((flushed_i[v] \&\& read_i == '0) ? flush_words_i/
