# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# why a context has no content is lost behind another token of its number
# in: DW=256-LineBytes=128-Sets=4
s/Same == 1 \? o2_err_q : !o2_we/Same != 1 \&\& !o2_we/
