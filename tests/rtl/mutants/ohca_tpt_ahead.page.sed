# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# lines are read ahead across a page
s/both_same = addr_q\[5:1\] != '1;/both_same = 1'b1;/
