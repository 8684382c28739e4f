# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a token's slot is given away while its job still waits
# in: Compact=1
s/assign r_free     = .*/assign r_free     = r_pop_i;/; s/jfree_q <= j_pop_i .*/jfree_q <= 1'b0;/
