# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the receive WQE of a message that has begun is no credit any more, so the limit goes back
# in: DW=256
s/16'\(wt\.used && w_left != 16'd0\)/16'(w_left != 16'd0)/
