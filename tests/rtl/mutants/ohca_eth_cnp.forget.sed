# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_cnp
# switched off and on again, it still knows the old times
s/if \(!cnp_i.en\) known_q <= '0;//
