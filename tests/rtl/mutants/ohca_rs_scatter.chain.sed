# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# nothing tells the placement unit which packets belong together
s/pl\.chain   = .*/pl.chain   = 1'b0;/
