# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the word behind a beat that was passed by is counted as the one behind the word taken
# in: DW=512
s/cnt \+ \(pass \? 9'\(PerBeat\) - 9'\(pos\) : 9'd1\)/cnt + 9'd1/
