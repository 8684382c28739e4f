# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a packet with a bad key does not end the sleep
s/(M_SYS_WAIT\) && ev_bits) == '0;/\1[5:0] == '0;/
