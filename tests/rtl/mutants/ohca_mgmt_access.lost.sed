# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an access that is not taken at once is forgotten
s/if \(acc_pend_q\[i\] \&\& acc_ready_i\[i\]\) begin/if (acc_pend_q[i]) begin/
