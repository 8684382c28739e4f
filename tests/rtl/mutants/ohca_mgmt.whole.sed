# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a store of a byte or a half word writes the word
s/mem_wstrb & \{4\{phase_q && /{4{write \&\& phase_q \&\& /
