# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A fetch counts on a place that it takes itself.
s/room_q > step_i/room_q >= step_i/
