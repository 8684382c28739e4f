# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# the source is entry 0
s/assign ent = all\[.*\];/assign ent = all[0];/
