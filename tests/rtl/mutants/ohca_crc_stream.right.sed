# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a packet that ends within a beat is right where a whole beat would be
# in: crc32-DataWidth=64-Granule=1
s/s_q == residue/s_q == Residue/
