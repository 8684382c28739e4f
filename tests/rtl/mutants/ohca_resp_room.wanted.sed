# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# READs leave room to requests that fill the ring.
# in: NumVl=4
s/\(want_i\[v\] \|\| (room_i\[v\] >= 13'\(Far\))\)/\1/
