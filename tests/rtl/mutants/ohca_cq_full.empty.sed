# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an arm whose index cannot be fires where the ring is empty
# in: DW=64
s/sol_out\) : used_nz;/sol_out) : 1'b1;/
