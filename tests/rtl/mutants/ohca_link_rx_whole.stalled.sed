# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A descriptor is overwritten that nobody has taken yet.
s/assign out_free    = .*/assign out_free    = 1'b1;/
