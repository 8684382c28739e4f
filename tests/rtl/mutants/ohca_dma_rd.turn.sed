# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the lowest order always comes first
# in: DW=512
s/if \(\|\(done \& turn_q\)\)/if (1'b0)/
