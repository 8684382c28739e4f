# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A packet that was chosen before the port went Down is sent when it is up again.
# in: link_tx_out
s/\|\| epoch_i != epoch_o\)/|| 1'b0)/
