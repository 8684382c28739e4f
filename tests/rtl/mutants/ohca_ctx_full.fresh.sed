# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an answer of the RAM is used although the line was written since
# in: DW=128
s/\(o1_fresh_q \|\| o1_reread\) && !\(o2_ram_we && o2_idx_q == o1_idx\)/(o1_fresh_q || o1_reread)/
