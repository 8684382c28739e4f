# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A packet that found no room in the last cycle begins in this one.
# in: eth_link-ohca_link-DataWidth=64-Compact=1
s/room_q <= k_valid \&\& !k_fire \&\& k_room/room_q <= k_valid \&\& !k_fire/
