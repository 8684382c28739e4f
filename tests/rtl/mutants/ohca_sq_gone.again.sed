# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the next plan of a turn is marked as the last one was
s/if \(begin_i && begin_turn_i == TurnW.\(i\)\) turn_gone_o/if (1'b0) turn_gone_o/
