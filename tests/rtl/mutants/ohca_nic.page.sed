# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: nic-DataWidth=64
# a buffer that crosses a page is written in one piece
s/assign over     = .*;/assign over     = 1'b0;/
