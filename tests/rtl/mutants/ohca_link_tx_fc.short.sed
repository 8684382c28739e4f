# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A shorter period counts from the end of the longer one on.
# in: link_tx_fc
s/ \|\| due_less >= period_i//
