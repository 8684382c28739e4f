# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the host reads a counter in the cycle in which its sum is written
s/ && !\(add_q && rd_addr_i == \{1.b0, add_idx_q\}\)//
