# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# all clients wait for each other
# in: Orders=8
s/put_to_q\[k\] <= to == 4'\(k\)/put_to_q[k] <= k == 0/
