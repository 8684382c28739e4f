# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# that none waits is known before the last one that came
s/none_q <= q_count == .0 \&\& !q_push/none_q <= q_count == '0/
