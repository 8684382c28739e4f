# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: DW=64
# an expiry that comes early leaves its QP without a timer
s/          n\.timer_armed = 1'b0;/          n.timer_armed = running \&\& cx.timer_armed \&\& !lk.past;/
