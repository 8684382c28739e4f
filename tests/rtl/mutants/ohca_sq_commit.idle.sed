# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a turn that has nothing to fetch is not given back
s/free_o  = !can_q;/free_o  = 1'b0;/
