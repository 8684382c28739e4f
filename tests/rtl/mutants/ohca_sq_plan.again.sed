# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what was sent before counts as new in a QP that is drained
s/assign hold_sqd .*;/assign hold_sqd = !w_q.in_msg \&\& sqd;/
