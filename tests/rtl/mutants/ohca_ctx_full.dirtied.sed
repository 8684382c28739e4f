# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what an invalidation brings is not written back
# in: DW=128
s/\(iv_dirty_q \|\| w_valid_q\);/iv_dirty_q;/
s/!iv_dirty_q && !w_valid_q;/!iv_dirty_q;/
