# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# one receive WQE less is always a code less
# in: rs_decide
s/ steps = 1'b0;/ steps = 1'b1;/
