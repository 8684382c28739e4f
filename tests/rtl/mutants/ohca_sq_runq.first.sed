# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The run queue waits until no list has anybody.
# in: NumVl=4
s/pk_any && \(first_q \|\| !rq_valid\)/pk_any/
