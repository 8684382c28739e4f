# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# RAM is read ahead of the address before
s/\.rd_addr_i \(ram_addr/.rd_addr_i (mem_addr/
