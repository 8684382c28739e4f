# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what was read ahead is not forgotten
s/\.flush_i\(inv_q != InvNone\)/.flush_i(1'b0)/
