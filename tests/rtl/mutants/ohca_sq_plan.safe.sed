# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A fence waits for READs, not for what they brought.
s/d_fence && w_q.rd_unsafe/d_fence \&\& w_q.rd_out/
