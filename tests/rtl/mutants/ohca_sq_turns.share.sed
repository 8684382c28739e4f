# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A VL that is stopped comes to hold every turn.
# in: NumVl=4
s/adm_o       <= ~over_q \|/adm_o       <= {NumC{1'b1}} |/
