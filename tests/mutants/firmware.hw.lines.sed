# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# of a region whose last entry ends a line of the translation cache, one line too many is dropped
s/end = \(first \+ n - 1\) \/ MTT_LINE/end = (first + n) \/ MTT_LINE/
