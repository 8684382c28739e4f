# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an access to the multicast table reaches the send engine, too
s/acc_valid_i\[3:0\]};/acc_valid_i[3:1], acc_valid_i[0] || acc_valid_i[Mcast]};/
