# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What comes back to the port itself goes while the port sends no data.
# in: link_tx_head
s/ok   = src_host\[g\] \|\| vl == .*/ok   = 1'b1;/
