# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a reset does not forget that notifications were lost
s/if \(rst_i\) +cnp_lost_q <= 1'b0;/if (cnp_lost_q === 1'bx) cnp_lost_q <= 1'b0;/
