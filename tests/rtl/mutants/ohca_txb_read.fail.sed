# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: txb_read
# the beats of a piece that is refused stay reserved
s/\(iq_pop && i_fail\)/(1'b0)/
