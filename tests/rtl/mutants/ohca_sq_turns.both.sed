# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A turn whose two emitters are through in one cycle is lost.
# in: NumVl=4
s/\(w_done_q\[ht_q\] \|\| both\)/w_done_q[ht_q]/
