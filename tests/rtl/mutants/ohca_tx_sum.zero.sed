# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: tx_sum-DataWidth=64
# a UDP checksum of 0 leaves as 0
s/\(f_udp_q \&\& f_neg == '0\) \? 16'hffff : f_neg/f_neg/
