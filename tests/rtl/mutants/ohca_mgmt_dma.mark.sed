# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a write ends with what was acknowledged before it
s/dma_mark_q <= wr_issued_i/dma_mark_q <= wr_issued_i - 32'd1/
