# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: nic-DataWidth=64
# an entry that was there before the arm is not told
s/assign pend   = .*;/assign pend   = armed_q \&\& unseen > 16'd1 \&\& !ev_q;/
