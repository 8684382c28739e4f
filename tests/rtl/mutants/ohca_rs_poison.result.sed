# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what follows a packet that failed in R is told, if it was past S
/r_bad_q\[i\] <= 1.b1;/d
