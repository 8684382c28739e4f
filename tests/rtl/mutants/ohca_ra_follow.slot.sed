# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a slot that meets one of the result stage's is lost
s/ \|\| \(xr_q && r_rel_i\)//
