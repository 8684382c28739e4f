# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a doorbell that was merged keeps its WQE
# in: Depth=8
s/push_q\[i\] <= 1'b0;//
