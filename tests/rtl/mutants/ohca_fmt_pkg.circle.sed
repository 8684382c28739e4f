# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# positions in a ring and times are compared as plain numbers
# in: functions
s/pos_lt = 1'\(.*/pos_lt = a < b;/
s/time_lt = 1'\(.*/time_lt = a < b;/
