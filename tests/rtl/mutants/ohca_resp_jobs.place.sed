# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the upper word comes from where the next one would be read
# in: Compact=1
s/r2_q \? \{ra_q, 1'b1\}/r2_q ? {raddr_i, 1'b1}/
