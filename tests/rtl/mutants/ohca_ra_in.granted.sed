# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a grant counts whether what it was for may still go or not
# in: InFlight=8
s/assign take = gnt \& want;/assign take = gnt;/
