# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a doorbell is merged with one that has gone
# in: Depth=8
s/ \&\& !second\[i\]//
