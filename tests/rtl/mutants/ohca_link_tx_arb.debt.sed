# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A packet that is longer than what is left of the weight leaves a weight that wrapped.
# in: link_tx_arb
s/\(weight > blocks\) \? weight - blocks : 8'd0/weight - blocks/
