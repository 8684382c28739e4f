# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the count is one short when it wraps
s/assign count_o = wr_ptr_q - rd_ptr_q;/assign count_o = (wr_ptr_q < rd_ptr_q) ? wr_ptr_q - rd_ptr_q - 1'b1 : wr_ptr_q - rd_ptr_q;/
