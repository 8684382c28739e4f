# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: DW=64
# a timeout longer than deadlines can tell apart ends with its first round
s/n\.dl_more  = lk\.t_more;/n.dl_more  = '0;/
