# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a piece that leaves during the walk is passed by
s/busy_o \&\& pay_qpn == qpn_q;/1'b0;/
