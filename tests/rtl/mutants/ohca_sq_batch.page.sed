# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a ring that begins within a block of 64 bytes is taken for one that does not
s/assign whole  = .*;/assign whole  = 1'b1;/
