# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a copy begins at its beat's first dword
s/lane_q     <= \(BeatDw == 1\) \? '0 : .*/lane_q     <= '0;/
