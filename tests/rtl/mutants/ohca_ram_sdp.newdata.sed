# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a collision shows the new data
# in: ram-
s/^      if \(rd_en_i\) rd_data_o <= mem\[rd_addr_i\];/      if (rd_en_i) rd_data_o <= (wr_en_i \&\& wr_addr_i == rd_addr_i) ? wr_data_i : mem[rd_addr_i];/
