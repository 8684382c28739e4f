# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what was read ahead outlives a flush
s/^        used_q <= '0;$/        if (rst_i) used_q <= '0;/; s/^        full_q <= '0;$/        if (rst_i) full_q <= '0;/
