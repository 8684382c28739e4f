# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a WRITE whose last packet found no receive is forgotten
s/fix\.wr_last \? 2.d2 : 2.d0/2'd0/
