# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: nic-DataWidth=64
# what an error keeps back of a request is on the way for ever
s/(come_q\[i\] <= .*word\.last \? )want_n - got_q/\13'd1/
