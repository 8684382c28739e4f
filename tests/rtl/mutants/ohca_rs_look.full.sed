# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# two limited members of a partition may talk
s/ \&\& \(a\[15\] \|\| b\[15\]\)//
