# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what comes in this cycle is not counted where it is said that there is room
# in: Merge=1
s/ \+ \(AddrW\+1\)'\(valid_i\) >= / >= /
