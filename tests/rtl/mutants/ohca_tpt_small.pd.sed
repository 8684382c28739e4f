# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the protection domain is compared in part
# in: Small=1
s/m\.pd != r_q\.pd/m.pd[15:0] != r_q.pd[15:0]/
