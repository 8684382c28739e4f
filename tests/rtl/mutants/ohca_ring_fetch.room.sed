# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# room that the request before was found to have is the next one's
# in: ring_fetch-DW=64-Single=1
s/s_valid_q \&\& !s_go \&\& room;/room;/
