# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Compact: a register is taken before it is seen that it has to wait
# in: Compact=1
s/stall_q \|\| !later_q : stall/stall_q : stall/
