# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# a priority goes on as soon as it is below the level at which it is paused
s/ \|\| \(much_q\[look_q\] && has > own_i.xon\)//
