# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an entry armed during a walk does not count for the next deadline
# in: Depth=256
s/else if \(walk_q && in_valid\) min_q <= min;/else if (walk_q \&\& back) min_q <= min;/
