# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a wait is compared with the timer of whatever context comes
s/rnr_i \? rnr_tmr_i : cx_i\.tmr/cx_i.tmr/
