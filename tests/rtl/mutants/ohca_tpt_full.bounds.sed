# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# one byte beyond the region is allowed
# in: DW=128
s/b_need > \{1'b0, b_length_q\}/b_need > {1'b0, b_length_q} + 65'd1/
