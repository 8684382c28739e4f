# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what R has taken does not stay
# in: Compact=1
s/r_hold_i\(r_hold_i\)/r_hold_i(1'b0)/
