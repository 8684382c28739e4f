# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a drain is over in the cycle after its mark
# in: DW=256
s/\(drain_i \|\| drain_q \|\| pending\)/pending/
