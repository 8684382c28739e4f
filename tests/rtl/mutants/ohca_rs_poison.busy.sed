# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# numbers that are free count as the QP's
s/same_o = busy_q \& match_q/same_o = match_q/
