# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a MAD is judged by the length of what was there before it
s/p_valid && seen_q && is_mad/p_valid \&\& is_mad/; s/ && \(seen_q \|\| !is_mad\)//
