# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A multicast packet that fails stays reserved in the ring of loopback.
# in: link_tx_ring
s/ends \&\& rings\[i\]/ends \&\& q == QW'(i)/
