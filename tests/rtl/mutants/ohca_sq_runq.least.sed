# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# QPs without a turn take what is kept for those that had one.
# in: NumVl=4
s/room_o  <= free >= ChW'\(Least\)/room_o  <= free >= ChW'(4)/
