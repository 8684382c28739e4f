# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an entry begins in the cycle in which the walk saves another
# in: Compact=1
s/ \&\& !\(resp \&\& !hit_i \&\& save_i\);/;/
