# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an acknowledgement promises the receive WQE that its message has taken
s/credit_less\(lk\.left, wt_o\.used\)/credit_less(lk.left, 1'b0)/
