# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# one stage of the step back is one bit short
# in: crc32-DataWidth=64-Granule=1
s/back_by\(Granule \* 8 << k\)/back_by((Granule * 8 << k) - 1)/
