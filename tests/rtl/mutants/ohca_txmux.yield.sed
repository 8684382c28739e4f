# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Responses never yield to requests that wait for room.
# in: NumVl=4
s/owed_q != 2'd0;/1'b0;/
