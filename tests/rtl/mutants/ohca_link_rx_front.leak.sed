# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The block that a packet ends with is not given back, if it is not full.
s/assign fo_blk_last = last_o \|\| /assign fo_blk_last = /
