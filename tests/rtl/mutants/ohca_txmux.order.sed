# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Pieces follow the source chosen last.
s/txp_o       = ord_sel \?/txp_o       = sel_q ?/
