# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# lines are read ahead across a page
s/next_same = addr_q\[5:0\] != '1;/next_same = 1'b1;/
