# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a retry timer is told to the cycle
s/ra_delta\}\), 8'h0\};/ra_delta}), now_q[7:0]};/
