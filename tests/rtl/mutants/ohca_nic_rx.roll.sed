# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: nic-DataWidth=64
# a bad frame stays in the buffer
s/if \(good\) start_q/if (put \&\& in_last_i) start_q/
