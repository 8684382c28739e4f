# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# one byte beyond the region is allowed
# in: Small=1
s/left_q < \{32'd0, r_q.chk_len\}/left_q + 64'd1 < {32'd0, r_q.chk_len}/
