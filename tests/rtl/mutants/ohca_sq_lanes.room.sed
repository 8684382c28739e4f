# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A job goes to the emitters without room for it.
# in: NumVl=4
s/room_i\[g\] >= leave_q && //
