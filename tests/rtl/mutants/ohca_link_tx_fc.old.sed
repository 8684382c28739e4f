# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The flow-control packet behind one of a single beat bears the blocks of before it.
# in: link_tx_fc
s/old_o  <= begin_i/old_o  <= 1'b0/
