# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a QP that is in the run queue is put there again
s/outside = \(!l.in_runq \|\| k_t1\)/outside = 1'b1/
