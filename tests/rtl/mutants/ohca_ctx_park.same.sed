# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the set of a token in the slot that is taken in this cycle is what the slot had before
# in: Pass=1
s/if \(slot_v_q && at_slot\[i\]\) same_d\[.*/if (1'b0) same_d[Parts*i +: Parts] = last;/
