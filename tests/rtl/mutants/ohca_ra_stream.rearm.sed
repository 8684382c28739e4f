# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a QP whose number had a timer before never gets one again
# in: DW=64
s/n\.timer_armed = cx\.timer_armed \&\& .*/n.timer_armed = cx.timer_armed;/
