# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: txb_read-DW=64
# the second half of an inline word is left for the next piece
s/if \(rst_i \|\| n_pop\) half_q/if (rst_i) half_q/
