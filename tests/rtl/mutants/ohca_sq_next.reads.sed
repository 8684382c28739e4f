# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what a READ from before a reset brought counts
s/FBK_READS: if \(.*\) begin/FBK_READS: begin/
