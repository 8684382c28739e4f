# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The NAK that ends a connection finds its QP's ring full.
# in: PerSlot=32
s/\(&cnt_s\[JobW-1:0\] && !final_nak\)/1'b0/
