# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a packet is handed on without the last word of its headers
# in: Compact=1
s/assign last    = .*/assign last    = at_q == (grh ? 4'd9 : 4'd4) || pktlen_q[10:1] == {6'd0, at_next};/
