# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# READ data behind a refused packet is written
# in: DW=512
s/\.w_placed_i\(l_placed\)/.w_placed_i(1'b0)/
