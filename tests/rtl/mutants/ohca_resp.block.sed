# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A READ overtakes the ACKs before it.
# in: NumVl=4
s/block_q\[i\] <= a_wr\[job_q\] != a_rd\[job_q\];/block_q[i] <= 1'b0;/
