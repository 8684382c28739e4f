# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# invalidations do not wait for the misses before them
# in: Pass=1
s/assign own       = !bad_i && \(miss_i \|\| s1_inval_i\);/assign own       = !bad_i \&\& miss_i;/
