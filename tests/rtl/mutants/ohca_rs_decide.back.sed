# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a WRITE whose last packet found no receive is forgotten
s/fix_back \&\& fix\.wr_last/1'b0/
