# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# READ data behind a refused packet is written
s/pl\.chain   = .*/pl.chain   = 1'b0;/
