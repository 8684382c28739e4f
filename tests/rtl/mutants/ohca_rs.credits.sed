# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an acknowledgement promises the receive WQE that its message has taken
# in: DW=256
s/w_left - 16'\(wt\.used && w_left != 16'd0\)/w_left/
