# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a write is requested with its first beat
s/if \(wlast_q\) begin/if (!dma_req_q \&\& !dma_out_q) begin/
