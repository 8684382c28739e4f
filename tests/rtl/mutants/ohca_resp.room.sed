# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A response goes without room for it.
# in: NumVl=4
s/room_d\[v\] = room_i\[v\] >= 13.\(2 \* 4096 \/ \(DW \/ 8\) \+ 5 \* HdrW\) && /room_d[v] = /
