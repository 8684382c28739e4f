# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: Depth=1024
# arms wait until an expiry is taken
s/  assign arm_go      = /  assign arm_go = w_q != W_EMIT \&\& /
