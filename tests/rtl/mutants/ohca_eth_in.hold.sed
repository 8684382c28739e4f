# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# a packet ends before its frame does
s/assign hold    = .*;/assign hold    = 1'b0;/
