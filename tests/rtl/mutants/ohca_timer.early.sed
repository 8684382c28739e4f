# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: Depth=1024
# what is armed beside a walk does not count for the block's next deadline
s/f1  = put \? in1_q \&\& a2 == i2_q :/f1  = put ? 1'b0 :/
