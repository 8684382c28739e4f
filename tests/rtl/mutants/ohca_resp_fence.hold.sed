# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a READ that has to wait may go in the cycle after it came
s/\(held_q\[i\] == '0 \&\& !holds\[i\]\)/(held_q[i] == '0)/
