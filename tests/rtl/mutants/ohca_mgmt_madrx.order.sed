# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the slot that is full is the one that was taken last
s/full_q\[fill_q\] <= 1'b1/full_q[take_q - 2'd1] <= 1'b1/
