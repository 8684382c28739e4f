# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a datagram's error stops the receive side, too
s/assign qerr_o     = \(fail_i \&\& !lk\.dg\)/assign qerr_o     = fail_i/
