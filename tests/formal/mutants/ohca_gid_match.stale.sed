# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what was found for the frame before counts
# in: Lanes=2
s/assign vid_o   = (.*) \|\| \(!c_first_q \&\& vid_q\);/assign vid_o   = \1 || vid_q;/
