# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# arming does not look for EQEs that are there
# in: DW=64
s/\(op_q == OP_DB \&\& db_q\[24\] \&\& c.pi != new_ci\)/(1'b0 \&\& c.pi != new_ci)/
