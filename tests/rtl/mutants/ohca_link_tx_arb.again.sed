# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# An entry whose weight is used up has its next turn at once, before the entries behind it.
# in: link_tx_arb
s/(above_q\[i\] <= 4'\(i\) >) pos_q/\1= pos_q/
