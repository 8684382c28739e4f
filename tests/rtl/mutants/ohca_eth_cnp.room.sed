# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: NumVl=4
# the room of the cycle in which it stands is looked at
s/assign has_room = held_q \|\| room_q;/assign has_room = held_q || vl >= 4'(NumVl) || room_i[vl[$clog2(NumVl)-1:0]];/
