# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a buffer that is cleared keeps its entry
s/\(p_ring \|\| push_clr_i\) && pe_any_hit/p_ring \&\& pe_any_hit/
