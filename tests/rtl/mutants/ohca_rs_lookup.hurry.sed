# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a packet whose answer has no room is dropped at once
# in: DW=256
s/\(pkt_place_q \|\| late_q \|\| pkt_dg_i\)/1'b1/
