# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# noise behind the end of a packet is not masked
# in: crc32-DataWidth=64-Granule=1
s/\(\(Ones \|\| last_i\) \&\& !keep_i\[g\*Granule\]\)/1'b0/
