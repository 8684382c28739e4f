# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A full ring takes one word more.
# in: link_tx_ring
s/ \|\| \(full_one\[i\] && put_to\[i\]\)//
