# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a cycle without a slot after each
s/assign f_ready = .*;/assign f_ready = !valid_q;/; s/if \(rst_i\)        valid_q <= 1'b0;/if (rst_i || next_i) valid_q <= 1'b0;/
