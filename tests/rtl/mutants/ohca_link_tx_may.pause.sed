# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A paused queue sends.
# in: link_tx_may
s/eth_i \? !pause_i\[v\] : cr_ok\[v\]/eth_i || cr_ok[v]/
