# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# what pads a short frame is what was left over
s/keep\[i\] \? shifted\[8\*i \+: 8\] : 8'd0/shifted[8*i +: 8]/
