# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a write of the management core takes a QP out of its timer
s/fixed\.timer_armed = 1'b1;/fixed.timer_armed = 1'b0;/
