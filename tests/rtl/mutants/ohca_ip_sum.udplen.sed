# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: ip_sum-DataWidth=64
# what UDP's length leaves out counts as verified
s/s5_q\.l4 \&\& !\(s5_q\.udp \&\& bad_q\)/s5_q.l4/
