# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what a QP that was reset left is kept
# in: sq-DW=64-Sets=16
s/sent_o\.keep     = !gone_q \&\& /sent_o.keep     = /
