# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: ip_sum-DataWidth=64
# the pad counts as room
s/ - 15'\(pad_q\);/;/
