# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the first of the lines that are to be dropped stays
# in: DW=512
s/line_q <= !walk_q \? inv_num_i\[5:0\]/line_q <= !walk_q ? (inv_num_i[5:0] == inv_last_i ? inv_last_i : inv_num_i[5:0] + 6'd1)/
