# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a token that ends as another is pushed is not counted
s/ - \(EW\+1\)'\(r_fin_i && r_e_i/ - (EW+1)'(r_fin_i \&\& !push \&\& r_e_i/
