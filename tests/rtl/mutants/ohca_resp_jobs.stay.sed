# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the lower word of what was read changes with what is read elsewhere afterwards
# in: Compact=1
s/if \(r2_q\) lo_q <= rd;/lo_q <= rd;/
