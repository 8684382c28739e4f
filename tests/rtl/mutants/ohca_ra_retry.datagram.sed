# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a datagram that nobody acknowledges times out
s/lk\.tout \&\& !lk\.dg;/lk.tout;/
