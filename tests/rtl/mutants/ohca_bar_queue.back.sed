# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a doorbell that is behind its time takes the index back
# in: Depth=8
s/assign newer = !ahead\[15\];/assign newer = 1'b1;/
