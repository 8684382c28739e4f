# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# READs alone fill the egress ring.
# in: NumVl=4
s/turn\[v\] = room\[v\] && .*;/turn[v] = room[v];/
