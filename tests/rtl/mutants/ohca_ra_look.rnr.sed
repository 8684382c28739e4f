# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the time of an RNR NAK of an odd code is that of the even one before
s/rnr_code_i\[0\] \&\& rnr_code_i\[4:1\] != 4'd0/1'b0/
