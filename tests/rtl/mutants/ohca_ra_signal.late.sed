# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a timer that is late writes into the context of a destroyed QP
s/k_tmr \&\& !err_i \&\& !is_reset;/k_tmr \&\& !err_i;/
