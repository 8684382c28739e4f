# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What waits goes without the NAK behind it.
s/gone   = pop_i && .*/gone   = pop_i;/
