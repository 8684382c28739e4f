# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# one byte enable drives its neighbour too
# in: ram-
s/if \(wr_en_i \&\& wr_be_i\[i\]\)/if (wr_en_i \&\& (wr_be_i[i] || wr_be_i[0]))/
