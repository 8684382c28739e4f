# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a beat is read before it is there
s/beat_q < BeatW/beat_q <= BeatW/
