# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the later words of a commit are not written
# in: Small=1
s/later_q == SrcW'\(k \+ 1\)\)/later_q == SrcW'(1) \&\& k == 0)/
