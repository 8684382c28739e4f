# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# All of a wide ring is shown: acknowledgements go behind seven long packets.
# in: link_rules-ohca_link-DataWidth=64
s/\.QWords\(RoomW\)/.QWords(QWords)/
