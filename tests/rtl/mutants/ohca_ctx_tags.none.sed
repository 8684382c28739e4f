# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what is to be dropped from a cache that is only read is fetched first, and another line goes for it
# in: tpt-DW=512
s/assign none_o   = .*/assign none_o = 1'b0;/
