# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Responses never yield to requests that wait for room.
# in: NumVl=4
s/yield_q\[v\] \|\| row_q.*;/1'b0;/
