# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# RAM: offers a beat in the cycle after its push, when the RAM still shows old data
s/assign valid_d = rd_ptr_d != wr_ptr_q;/assign valid_d = (rd_ptr_d != wr_ptr_q) || push;/
