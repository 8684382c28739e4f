# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what finds its set parked goes on all the same
# in: Pass=1
s/assign behind    = !bad_i && chain != '0;/assign behind    = 1'b0;/
