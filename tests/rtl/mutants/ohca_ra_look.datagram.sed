# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a datagram that nobody acknowledges times out
s/d\.tout \&\& !d\.dg;/d.tout;/
