# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A GUID takes what is written a cycle after its own dword.
s/bswap32\(put_data_q\)/bswap32(mg_wdata_i)/
