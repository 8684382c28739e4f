# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an access writes the whole word
s/\(cx_o\[31:0\] \& ~acc_mask_o\) \| //
