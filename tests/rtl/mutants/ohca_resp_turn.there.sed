# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a packet is made before its job is there
# in: Compact=1
s/T_READ: t_d = T_THERE;/T_READ: t_d = T_CALC;/
