# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: nic-DataWidth=64
# a sum of 0 is sent as 0
s/\(s_sum == 16'hffff\) \? 16'hffff : ~s_sum/~s_sum/
