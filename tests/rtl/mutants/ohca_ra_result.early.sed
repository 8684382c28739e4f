# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a token ends before its data is placed
s/assign there      = ri_valid \&\& \(!ri\.placed \|\| pr_valid\);/assign there      = ri_valid;/
