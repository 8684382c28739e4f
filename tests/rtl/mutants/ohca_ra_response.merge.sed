# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an ACK is merged with a token whose walk has begun
s/is_ack \&\& hit_i \&\& open_i;/is_ack \&\& hit_i;/
