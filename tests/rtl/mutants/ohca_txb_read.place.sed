# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: txbuild
# pieces are translated without a place in the order
s/s_place_q <= places_d .*;/s_place_q <= 1'b1;/
