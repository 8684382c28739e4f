# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the second packet is masked like the first
s/idx_q  <= '0;/idx_q  <= idx_q;/
