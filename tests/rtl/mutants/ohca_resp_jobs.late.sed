# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the upper word is that of what came a cycle later
# in: Compact=1
s/w2_q \? hi_q :/w2_q ? HalfW'(in[Width-1:HalfW]) :/
