# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a MIDDLE may stand between messages
s/if \(is\.middle \|\| is\.last\)  is\.needs/if (is.last) is.needs/
