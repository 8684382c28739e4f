# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A READ whose QP has a slot passes those that wait.
# in: PerSlot=32
s/is_rd && \(w_some \|\| no_ring_q\)/is_rd \&\& no_ring_q/
