# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A flow-control packet goes in the middle of another.
# in: link_tx_out
s/fc_valid_i \&\& !mid_q \&\& en_i/fc_valid_i \&\& en_i/
