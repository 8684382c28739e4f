# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a write-back counts as done as soon as it is issued
# in: Small=1
s/known_q && !ago\[15\]/known_q/
