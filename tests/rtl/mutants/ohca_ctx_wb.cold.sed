# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a write-back takes the whole line, its cold half as it lies in the copy
# in: Pass=1-HotBytes=64
s/wr_o\.len       = 13'\(HotBytes\)/wr_o.len       = 13'(LineBytes)/
