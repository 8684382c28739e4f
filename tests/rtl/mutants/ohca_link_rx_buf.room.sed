# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Room of the receive buffer that comes back while a packet takes some is lost.
s/\? room_more - \(AddrW\+1\)'\(need_i\)/? room_q - (AddrW+1)'(need_i)/
