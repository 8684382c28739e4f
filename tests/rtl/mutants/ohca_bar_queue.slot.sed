# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the slot of a WQE that is dropped from a waiting doorbell is lost
# in: Depth=8
s/y_hit_q \&\& y_old_push_q \&\& newer/1'b0/
