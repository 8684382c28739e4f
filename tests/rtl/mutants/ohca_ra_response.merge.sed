# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an ACK is merged with a token whose walk has begun
s/lk\.in_win \&\& hit_i \&\& open_i;/lk.in_win \&\& hit_i;/
