# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# arming does not look for CQEs that are there
# in: Compact=1
s/assign a_fire   = a_good &&/assign a_fire   = a_good \&\& 1'b0 \&\&/
