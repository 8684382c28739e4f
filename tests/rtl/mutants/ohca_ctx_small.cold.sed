# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a write-back takes the cold half, too
# in: Words=16383
s/Back  = 8 \* HotBytes/Back  = 8 * LineBytes/
