# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: ip_sum-DataWidth=64
# UDP without a checksum counts as verified when the sum happens to be right
s/ \&\& !\(out_q\.udp \&\& zero2_q\)//
