# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# two go in the same cycle where an error and a replay wait, and one is lost
s/assign err_ready_o = room \&\& !rep_valid_i/assign err_ready_o = room/
