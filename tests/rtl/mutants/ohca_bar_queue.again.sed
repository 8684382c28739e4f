# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# two doorbells in a row are merged with what was there before the first
# in: Depth=8
s/assign again = .*$/assign again = 1'b0;/
