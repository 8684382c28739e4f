# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a write of one dword of the command block writes both
s|set_valid_i \? 2'b10 : wr_be_i|set_valid_i ? 2'b10 : 2'b11|
