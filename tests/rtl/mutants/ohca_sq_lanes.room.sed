# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A job goes to the emitters without room for it.
# in: NumVl=4
s/\{1'b0, room_i\[g\]\} >= \{1'b0, leave_q\} \+ \{1'b0, taken\} &&//
