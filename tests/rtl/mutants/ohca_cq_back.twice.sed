# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a write is asked for again while its data waits
# in: DW=64
s/req_done_q <= !b_pop \&\& .*$/req_done_q <= 1'b0;/
