# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a packet that comes while the last one is looked up is taken for what was there
s/\(fire \&\& wr_q == rd1\) \? dg :/1'b0 ? dg :/
