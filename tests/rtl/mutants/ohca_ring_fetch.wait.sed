# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a read that waits is overwritten by the next one
s/if \(rd_free\) begin/if (1'b1) begin/
