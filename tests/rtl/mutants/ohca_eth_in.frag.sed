# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# a first fragment is taken for a packet
s/r_frag_q  <= .*;/r_frag_q  <= 1'b0;/
