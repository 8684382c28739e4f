# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what an invalidation brings is not written back
# in: DW=128
s/o2_err_q && o2_dirty_d;/o2_err_q \&\& o2_dirty_q;/
