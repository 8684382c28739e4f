# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a packet of too many pieces is waited for
# in: DW=256
s/assign v_flood = .*/assign v_flood = 1'b0;/
