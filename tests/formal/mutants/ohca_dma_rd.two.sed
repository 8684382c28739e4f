# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a beat is for two clients
s/rsp_valid_q\[i\] <= s1_valid_q \&\& !s1_dead \&\& s1_cli == CliW'\(i\)/rsp_valid_q[i] <= s1_valid_q \&\& !s1_dead \&\& s1_cli >= CliW'(i)/
