# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an acknowledgement promises the receive WQE that its message has taken
s/credit_less\(left_q, wt\.used\)/credit_less(left_q, 1'b0)/
