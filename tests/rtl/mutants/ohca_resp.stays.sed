# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the next job comes while the one before it is being written
# in: Compact=1
s/same_q <= Compact \|\| /same_q <= /
