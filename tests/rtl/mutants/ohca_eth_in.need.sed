# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a packet's last beat must bring what the beat before it has left, too
# in: eth_link-ohca_link-DataWidth=64
s/ - 14'\(Bytes\) - 14'\(r\);/ - 14'(Bytes);/
