# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# An ACK takes the place of one that has something of its QP behind it.
s/tail_q\[i\] <= 1'b0;/tail_q[i] <= tail_q[i];/
