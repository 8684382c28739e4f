# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A response goes without room for it.
# in: NumVl=4
s/room\[v\] = room_i\[v\] >= 13.\(Least\) && /room[v] = /
