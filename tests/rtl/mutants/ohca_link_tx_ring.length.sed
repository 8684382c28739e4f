# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A packet whose length is not what PktLen says is sent.
# in: link_tx_ring
s/assign right    = .*/assign right    = !err_i \&\& size;/
