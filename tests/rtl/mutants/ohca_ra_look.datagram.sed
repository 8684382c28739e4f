# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a datagram that nobody acknowledges times out
s/cx_i\.timeout != 5'd0 \&\& !d\.dg;/cx_i.timeout != 5'd0;/
