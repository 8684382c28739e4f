# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: nic-DataWidth=64
# a buffer that crosses a page is written in one piece
s/if \(left_q == 14'\(n\)\) st_q <= W_CQE/if (1'b1) st_q <= W_CQE/
