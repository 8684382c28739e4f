# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Half of all PSNs count as none, so what lies behind the longest READ is sent.
s/half_out    = .*;/half_out    = 1'b0;/
