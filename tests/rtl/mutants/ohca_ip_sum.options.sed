# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: ip_sum-DataWidth=64
# IPv4 options are no part of the header
s/hd  = CntW'\(i\) >= ip_c \&\& CntW'\(i\) < at_c/hd  = CntW'(i) >= ip_c \&\& CntW'(i) < lanes(s2_ip_q + 13'd5)/
