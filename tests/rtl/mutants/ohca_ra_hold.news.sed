# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# news that came later are taken for those that were told
s/if \(c_q == C_IDLE \&\& in_valid_i\) begin/begin/
