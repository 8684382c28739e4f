# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an invalidation is answered in the cycle in which it is taken
s/rsp\.valid = inv_done_q;/rsp.valid = inv_o.valid \&\& inv_ready_i;/
