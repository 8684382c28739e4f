# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Entries may lie in the next WQE.
s/\(pushed_i \? 2'd0 : row_sh\)/(row_sh)/
