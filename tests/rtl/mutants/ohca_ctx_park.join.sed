# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a token joins a chain that is being made ready
# in: Pass=1
s/\(park \? !\(x_go && x_idx\[SetW-1:0\] == s1_set_i\) : !x_go\)/(park || !x_go)/
