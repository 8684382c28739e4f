# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# as much is asked for as there are slots
# in: MaxBeats=256
s/out_q < OutW'\(MaxBeats\)/1'b1/
