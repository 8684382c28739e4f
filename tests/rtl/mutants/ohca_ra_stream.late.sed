# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a timer that is late writes into the context of a destroyed QP
# in: DW=64
s/!cerr \&\& cx\.state != ohca_fmt_pkg::QP_STATE_RESET\) begin/!cerr) begin/
