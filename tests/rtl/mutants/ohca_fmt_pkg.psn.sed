# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the far half of the PSN circle begins one late
# in: functions
s/psn_lt = 1'\(24'\(a - b\) >> 23\);/psn_lt = 24'(a - b) > 24'h800000;/
