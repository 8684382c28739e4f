# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# of four comparisons one is with the wrong number
s/e_i\[BankW-1:0\] == BankW'\(i\)/e_i[BankW-1:0] == BankW'(i \& ~1)/
