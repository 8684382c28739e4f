# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the receive WQE of a message that has begun is no credit any more, so the limit goes back
s/credit_less\(left_q, wt\.used\)/credit_less(left_q, 1'b1)/
