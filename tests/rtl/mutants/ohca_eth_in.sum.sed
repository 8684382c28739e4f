# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# the IPv4 checksum is not looked at
s/sum_ok = .*;/sum_ok = 1'b1;/
