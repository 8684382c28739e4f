# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a client is in the order of one that is not there
# in: Orders=2
s/to = OrderOf\[4\*i \+: 4\]/to = OrderOf[4*i +: 4] << 1/
