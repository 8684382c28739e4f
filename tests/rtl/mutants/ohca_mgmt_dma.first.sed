# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A write is over when its first request is acknowledged.
# in: DataWidth=512
s/if \(wr_end && dma_left_q == '0\)/if (wr_end)/
