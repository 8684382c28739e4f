# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what leaves its page is one piece
# in: DW=64
s/s_cross_q <= \{1'b0, a\.len\}.*/s_cross_q <= 1'b0;/
