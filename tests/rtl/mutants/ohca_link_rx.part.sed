# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the ICRC covers four bytes behind its end
s/j_left_q\[13:2\] > 12/j_left_q[13:2] >= 12/
