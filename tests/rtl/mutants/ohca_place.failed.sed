# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# pieces after a refused one are written
# in: DW=256
s/failed_q <= v_refuse && !v_last;/failed_q <= v_refuse \&\& !v_last \&\& v_kind == KindCheck;/
