# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A QP that the management core sets to work again is forgotten.
s/chk_q   <= \(end_i && .*/chk_q <= 1'b0;/
