# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# doorbells of pages that differ in their upper bits are merged
# in: Depth=8
s/key_q\[i\] == key_i/((key_q[i] ^ key_i) \& 40'hffffff00ff) == 40'd0/
