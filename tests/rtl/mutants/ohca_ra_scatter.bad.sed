# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# READ data that does not fit its entries is written
s/pl\.bad     = .*/pl.bad     = 1'b0;/
