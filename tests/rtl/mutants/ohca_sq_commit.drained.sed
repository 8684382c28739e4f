# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Whether a drained QP has to send again is taken from what was compared for the token before.
# in: Compact=1
s|(waits_sqd = l.state == ohca_fmt_pkg::QP_STATE_SQD) && !ed_seen_q;|\1 \&\& 1'b0;|
