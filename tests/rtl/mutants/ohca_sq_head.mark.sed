# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what closes a turn counts as a WQE, whatever is in its row
# in: sq-DW=64-Sets=16
s/ \&\& h_q\.npk != '0;$/;/
