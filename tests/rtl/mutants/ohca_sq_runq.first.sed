# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The run queue waits until no list has anybody.
# in: NumVl=4
s/p_ok != '0 && \(first_q \|\| !rq_valid\)/p_ok != '0/
