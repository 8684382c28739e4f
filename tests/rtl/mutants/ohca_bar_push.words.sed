# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# idle while words of a WQE go out
# in: Compact=1
s/assign words_busy = at_q.*$/assign words_busy = 1'b0;/
