# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a buffer that is begun anew takes a second slot
s/!pe_any_hit && \(p_whole \|\| \(p_start && pe_any_free\)\);/p_whole || (p_start \&\& (pe_any_hit || pe_any_free));/
