# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a doorbell record that cannot be read is a want of receive WQEs
s/lost_q <= dbr_err_i;/lost_q <= 1'b0;/; s/none_q <= ahead/none_q <= dbr_err_i || ahead/
