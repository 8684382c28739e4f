# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a path may be left out on the way to RTR
s/\{ INIT, RTR, A_AV \| /{ INIT, RTR, /
