# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a threshold of pauses as large as the wire buffer, which is never reached, is taken
s/\(lim & 0xffff\) >= wire_units/(lim \& 0xffff) > wire_units/
