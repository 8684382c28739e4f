# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the offset in a large page is cut to 4 KiB
# in: Small=1
s/offset = \{17'd0, mask_q, 12'hfff\}/offset = {17'd0, mask_q \& 35'd0, 12'hfff}/
