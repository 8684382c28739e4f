# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# of four comparisons one is with the wrong number
# in: Compact=1
s/tid_o\[1:0\] == 2.\(i\)/tid_o[1:0] == 2'(i \& 2)/
