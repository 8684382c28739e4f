# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an invalidated entry stays in the cache
# in: Small=1
s/\.lk_inval_i\(step_q == T_DROP\)/.lk_inval_i(1'b0)/
