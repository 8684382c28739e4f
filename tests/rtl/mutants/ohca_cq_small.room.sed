# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a ring without room for what is unread is taken
# in: Compact=1
s/ \&\& \(used_now \& ~x_mask\) == '0;/;/
