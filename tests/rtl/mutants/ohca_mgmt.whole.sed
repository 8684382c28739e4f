# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a store of a byte or a half word writes the word
s/mem_wstrb & \{4\{mem_valid && phase_q/{4{mem_valid \&\& write \&\& phase_q/
