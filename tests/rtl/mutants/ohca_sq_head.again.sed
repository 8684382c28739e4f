# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a descriptor that was taken is offered again
# in: Compact=1
s/else if \(txd_ready_i\) txd_valid_o <= .*;/else if (txd_ready_i \&\& put) txd_valid_o <= 1'b0;/
