# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: txbuild
# an acknowledge is sent as ECN-capable
s/ \|\| d\.bth_op\[4:0\] == 5'h11 \|\| / || /
