# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a token that ends as another is pushed is not counted
s/goes\[i\]  = r_fin_i &&/goes[i]  = r_fin_i \&\& !push \&\&/
