# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a write can be overtaken by a read
# in: HwCfg
s/rd_q == R_IDLE \&\& !\(w_valid_q \&\& !w_wide_q\) \&\& !\(aw_valid \&\& w_valid\)/rd_q == R_IDLE/
