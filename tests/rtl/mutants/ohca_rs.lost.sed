# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a doorbell record that cannot be read is a want of receive WQEs
# in: DW=256
s/assign w_lost  = .*/assign w_lost  = 1'b0;/; s/assign w_rnr   = .*/assign w_rnr   = wt.verify \&\& !w_dead \&\& (vf_err || w_left == 16'd0);/
