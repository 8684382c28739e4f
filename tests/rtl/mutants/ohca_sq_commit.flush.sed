# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a turn that flushes, and is not parked, does not say so
s/want_flush && \(c_q == C_FETCH \|\| /want_flush \&\& (/
