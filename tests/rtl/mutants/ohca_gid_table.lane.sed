# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# an entry is written to each lane
s/assign put = .*;/assign put = put_i != '0;/
