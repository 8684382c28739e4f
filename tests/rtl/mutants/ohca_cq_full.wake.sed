# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# arming does not look for CQEs that are there
# in: DW=64
s/sol_in\) : unseen_nz\);/sol_in) : 1'b0);/
