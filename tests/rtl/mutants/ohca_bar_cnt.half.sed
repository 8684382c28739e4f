# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a write of one dword of the command block writes both
s/wr_valid_i \? wr_be_i : 2.b00/{2{wr_valid_i}}/
