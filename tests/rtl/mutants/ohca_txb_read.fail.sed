# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: txb_read
# the beats of a piece that is refused stay reserved
s/left_fail_q  <= iq_pop && i_fail && !rst_i;/left_fail_q  <= 1'b0;/
