# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=128
# an untagged frame has the priority of the one before
s/\? data_i\[TagAt\+21 \+: 3\] : 3'd0/? data_i[TagAt+21 +: 3] : prio_q/
