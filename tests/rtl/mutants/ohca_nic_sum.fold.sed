# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: nic-DataWidth=64
# the carry of the second fold is lost
s/fold_q\[15:0\] \+ 16'\(fold_q\[16\]\)/fold_q[15:0]/
