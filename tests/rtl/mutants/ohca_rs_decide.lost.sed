# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# payload of a datagram QP that was lost is told to nobody
s/ \&\& \(!is_dg \|\| pay_i\[25\]\);/ \&\& !is_dg;/
