# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# of an address that is written back only half comes out of its memory
# in: Small=1
s/if \(get_q\[1\]\) addr_o.*/addr_o <= addr_o;/
