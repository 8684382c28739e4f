# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the halves of two pages make a doorbell
# in: HwCfg
s/ \&\& half_page_q\[kind\] == page\)/ || (half_page_q[kind] == 8'hff))/
