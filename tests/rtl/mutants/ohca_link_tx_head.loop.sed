# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A multicast packet that is for loopback on an Ethernet port goes onto the wire as well.
# in: link_tx_head
s/ \&\& to != 16'hffff;/;/
