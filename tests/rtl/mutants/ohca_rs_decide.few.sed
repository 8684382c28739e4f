# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a READ that finds no place is executed
s/p_rnr      = p_room && op.read && rd_few_i/p_rnr      = 1'b0 \&\& rd_few_i/
