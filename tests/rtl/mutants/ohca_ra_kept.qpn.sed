# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# ... and whichever QP's
s/ \&\& b_line\.qpn == b_q\.qpn//
