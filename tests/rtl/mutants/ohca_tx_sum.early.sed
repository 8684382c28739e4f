# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: tx_sum-DataWidth=64
# packets leave before they are summed
s/\(!s_sum \|\| c_valid\)/1'b1/
