# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Another state of the port is told with the period only.
# in: link_tx_fc
s/init_q != init_i \|\| //
