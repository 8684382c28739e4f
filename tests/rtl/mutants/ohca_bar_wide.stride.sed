# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what lies behind the buffers of a large page is taken for them
# in: DbStride
s/\(page_4k \& 8'\(\(1 << DbStride\) - 1\)\) == 8'd0/1'b1/
