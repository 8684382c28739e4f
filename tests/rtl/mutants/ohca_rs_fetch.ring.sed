# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a record from beyond the ring counts
s/ \|\| ahead > wt\.size;/;/
