# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: nic-DataWidth=64
# bad host data is sent
s/assign err    = .*;/assign err    = 1'b0;/
