# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# reserved bits of a command are not looked at
s/if \(v\[i\] & mask\[i\]\)/if (0)/
