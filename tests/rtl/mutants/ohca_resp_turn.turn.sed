# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A turn goes on with a READ that has to wait.
s/ \|\| !next_ok_i\) t_d = T_IDLE/) t_d = T_IDLE/
