# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A piece gets the QP of the turn whose pieces come after it.
s/turn_qpn\[pay_turn_q\]/turn_qpn[pay_turn_i]/
