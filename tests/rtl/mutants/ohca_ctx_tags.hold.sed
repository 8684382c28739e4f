# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the lookup that waits in the second place is made in the set of the next one
# in: DW=512-LineBytes=64
s/s0_early \| \(lk_set & .*/drop_valid_i ? s0_early : lk_set;/
