# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an error ends with its burst
s/bad_q\[k\] <= err_now .*$/bad_q[k] <= 1'b0;/
