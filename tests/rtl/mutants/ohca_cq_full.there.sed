# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the answer to a new ring comes before the old one has all its entries
# in: DW=64
s/x_dw == 5'd0 \|\| x_dw == ohca_fmt_pkg::ACC_CQ_RING/x_dw == 5'd0/
