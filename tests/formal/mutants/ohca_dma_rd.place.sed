# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the second beat of a slot is written over its first
s/wr_addr_i\(\{r_id_q, fill_in\}\)/wr_addr_i({r_id_q, BeatW'(0)})/
