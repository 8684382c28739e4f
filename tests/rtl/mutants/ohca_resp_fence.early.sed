# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the slot of the READ that leaves the queue next may go, not that of the one that left
s/ slot_q      <= slot;/ if (!pop) slot_q <= slot;/
