# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a slot is free again while it is read
s/gone_q      <= pop \&\& !rst_i;/gone_q      <= take \&\& beat_q == '0 \&\& !rst_i;/
