# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A payload that just fills the last beat gets an empty beat more.
s/tot > \(LaneW\+2\)'\(Lanes\) && !p_bad/tot >= (LaneW+2)'(Lanes) \&\& !p_bad/
