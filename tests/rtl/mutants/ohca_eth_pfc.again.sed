# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# a pause is not sent again
s/ \|\| \(want != '0 && again_q\)//
