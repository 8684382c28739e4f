# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what came of a push is looked up for the other buffer
# in: HwCfg
s/look_buf_i\(x_pick \? x_addr\[6\] : aw_addr\[6\]\)/look_buf_i(1'b0)/
