# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# any address is a push buffer
s/ \&\& aw_addr\[11:7\] == 5'd0//
