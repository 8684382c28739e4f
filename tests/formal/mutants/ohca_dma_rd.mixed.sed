# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# slots of two orders stand in one
# in: Orders=2
s/put_to_q\[k\] <= to == .*$/put_to_q[k] <= q_cli[1] == k[0];/
