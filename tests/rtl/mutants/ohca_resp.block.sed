# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A READ overtakes the ACKs before it.
s/block_q\[in_slot\] <= a_wr_q\[job_q\] != a_rd_q\[job_q\];/block_q[in_slot] <= 1'b0;/
