# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# clearing takes its buffer from the wrong address bit
# in: HwCfg
s/is_push \? w_addr_q\[6\] : w_addr_q\[3\]/w_addr_q[6]/
