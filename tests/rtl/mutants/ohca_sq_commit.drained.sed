# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Whether a drained QP has to send again is taken from what was compared for the token before.
# in: Compact=1
s/ && !k_acc && !ed_seen_q\)/ \&\& 1'b0)/
