# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a promised place is kept after R has taken the token
s/ - \(JobW\+1\).\(r_pop_i \&\& r_o\.resv\)//
