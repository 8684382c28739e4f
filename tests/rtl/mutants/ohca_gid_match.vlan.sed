# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# the VLAN is not compared
s/is_vid\[i\] = .*;/is_vid[i] = 1'b1;/
