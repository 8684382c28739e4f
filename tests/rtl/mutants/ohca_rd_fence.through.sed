# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The send engine's ready reaches the acknowledge engine in the same cycle.
s/!due \&\& pass \&\& o_ready;/!due \&\& pass \&\& o_ready \&\& fb_ready_i;/
