# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what is read in the cycle in which it is noted says what there was before
s/assign told_any +=.*$/assign told_any = eactv_q[told_e_i];/
