# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# pops do not move the read address
s/mem\[rd_ptr_q\[AddrW-1:0\]\]/mem[wr_ptr_q[AddrW-1:0]]/
