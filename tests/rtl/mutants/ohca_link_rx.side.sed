# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# the two sides of the wire buffer see different frames
s/\.eth_i\(f_eth\), \.last_i\(f_last\)/.eth_i(1'b1), .last_i(f_last)/
