# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# pieces after a refused one are written
# in: DW=256
s/failed_q <= x_fail && !x_last;/failed_q <= x_fail \&\& !x_last \&\& x_kind == KindCheck;/
