# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# of the last address accepted the flag stays
s/aw_done_q\[3:1\] != 3'd0/aw_done_q != 4'd0/
