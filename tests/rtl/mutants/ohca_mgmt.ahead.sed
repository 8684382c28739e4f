# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# RAM is read ahead of the address before
s/: la_addr\[RamAw\+1:2\]\)/: mem_addr[RamAw+1:2])/
