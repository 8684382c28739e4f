# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what follows a refused packet is written
# in: DW=512
s/assign v_dead  = .*/assign v_dead  = 1'b0;/
