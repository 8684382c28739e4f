# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an arm of page 256 + k counts for page k
# in: Compact=1
s/\{c\.uar_hi, c\.uar_mid, c\.uar_lo\} == a_uar/c.uar_lo == a_uar[7:0]/
