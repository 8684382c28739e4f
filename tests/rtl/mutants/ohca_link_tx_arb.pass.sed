# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The weight left to an entry goes to the one that has its turn instead.
# in: link_tx_arb
s/weight = stay_q \? rem_q/weight = (rem_q != 8'd0) ? rem_q/
