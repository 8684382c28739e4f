# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# ... only at the start of a turn.
# in: Slots=16
s/ \|\| !next_ok_i\) t_d = T_IDLE/) t_d = T_IDLE/
