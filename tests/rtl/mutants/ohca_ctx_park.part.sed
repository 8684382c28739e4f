# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a part of the set is not compared
# in: Pass=1
s/same\[i\] +=.*/same[i] = \&same_q[SetParts*i+1 +: SetParts-1];/
