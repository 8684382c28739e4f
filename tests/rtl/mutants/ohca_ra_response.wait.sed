# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a second NAK counts while the QP waits for its receiver
s/lk\.a_nak \&\& cx_i\.rnr_wait;/1'b0;/
