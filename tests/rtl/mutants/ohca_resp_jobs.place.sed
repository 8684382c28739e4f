# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the upper word comes from where the next one would be read
# in: Compact=1
s/r2_q \? \{r2_at_q, 1'b1\}/r2_q ? {r1_at_q, 1'b1}/
