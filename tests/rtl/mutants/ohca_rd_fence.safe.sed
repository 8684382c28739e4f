# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What is not acknowledged is called safe when nothing waits.
s|none_q \&\& wr_issued_i\[15:0\] == wr_acked_i\[15:0\]|none_q|
