# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a packet that is held is looked up again
# in: Compact=1
s/else if \(go\)          asked_q <= 1'b1;/else if (go)         asked_q <= 1'b0;/
