# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# S gets the R_Key of another token
# in: Compact=1
s/sp\.pd, su\.rkey/sp.pd, r_o.rkey/
