# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a timeout longer than deadlines can tell apart ends with its first round
s/dl_set \? lk\.t_more/dl_set ? 10'd0/
