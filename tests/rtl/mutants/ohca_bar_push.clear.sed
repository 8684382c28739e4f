# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a buffer that is cleared keeps what came
s/init_q \|\| p_ok \|\| push_clr_i/init_q || p_ok/
