# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The bits of the LID that the LMC leaves free are compared, too.
# in: link_tx_head
s/assign lid_mask  = .*/assign lid_mask  = 16'hffff;/
