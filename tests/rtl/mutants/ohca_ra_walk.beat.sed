# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the list of a READ is passed by with its header
# in: Beat=4
s/word_pass_o = op != ohca_fmt_pkg::WR_OP_RDMA_READ;/word_pass_o = 1'b1;/
