# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a burst is as long as the next one
s/w_last   = beat_q == w_beats_m1_q/w_last   = beat_q == (n_valid ? n_beats_m1 : w_beats_m1_q)/
