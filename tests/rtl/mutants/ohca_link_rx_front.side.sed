# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# the two sides of the wire buffer see different frames
s/.eth_i\(eth_o\), \.last_i\(last_o\)/.eth_i(1'b1), .last_i(last_o)/
