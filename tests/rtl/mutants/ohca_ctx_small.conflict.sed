# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fill does not wait for the write-back of its number
# in: Small=1
s/assign conflict       = pend_q &&/assign conflict       = 1'b0 \&\& pend_q \&\&/
