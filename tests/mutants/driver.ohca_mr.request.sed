# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what is asked for with a region is not looked at
/\*ohca_reg_user_mr\(/,/^}/s/ret = ohca_no_req\(udata\)/ret = 0/
