# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# payload that was lost is taken for a READ beyond the limit
s/\{!ra_valid \&\& !rb_valid, /{1'b0, /
