# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a grant counts whether what it was for may still go or not
# in: ra_in-InFlight=8
s/assign take_o = gnt & valid_i;/assign take_o = gnt;/
