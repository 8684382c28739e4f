# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# RNR timer code 0 is the shortest
# in: functions
s/if \(code == 5'd0\) rnr_timer = 17'd65536;/if (code == 5'd0) rnr_timer = 17'd0;/
