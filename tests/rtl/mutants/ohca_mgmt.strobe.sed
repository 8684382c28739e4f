# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a register is written again in the cycle in which the core is told
s/ && !got_q && !sleeps/ \&\& !sleeps/
