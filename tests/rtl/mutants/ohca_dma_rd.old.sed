# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an error of a slot stays for its next request
s/^        err_q\[i\]   <= 1'b0;/        if (rst_i) err_q[i] <= 1'b0;/
