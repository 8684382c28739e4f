# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an error stays
s/acc_err_q   <= acc_err_i;/acc_err_q   <= acc_err_q || acc_err_i;/
