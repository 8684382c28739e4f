# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# data goes ahead of its address
s/assign w_go     = w_valid_q \&\& aw_any_q;/assign w_go     = w_valid_q;/
