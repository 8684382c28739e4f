# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# RAM answers behind its end, too
s/mem_addr < RamBytes/mem_addr <= RamBytes/
