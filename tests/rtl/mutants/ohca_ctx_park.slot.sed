# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a token is given a slot when none is free
# in: Pass=1
s/slot_v_q <= !fresh_q\[DepW\] \|\| free_valid;/slot_v_q <= 1'b1;/
