# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Responses never yield to requests that wait for room.
# in: NumVl=4
s/yield_q\[v\] <= 1'b1;/yield_q[v] <= 1'b0;/
