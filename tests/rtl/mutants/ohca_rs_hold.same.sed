# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a write that changes nothing counts as one that does
s/acc_chg_o <= \(\(old .*;/acc_chg_o <= 1'b1;/
