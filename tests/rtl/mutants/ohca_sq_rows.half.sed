# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the second half of each word of a pushed WQE is written over the first
# in: Compact=1
s/\{push_at_q\[0\], !push_at_q\[0\]\}/2'b01/
