# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The set of the token in front is not known yet where sets are compared a cycle before.
# in: Pass=1
s/\(slot_v_q && at_slot\[i\]\) \? s1_set_i : set_q/set_q/
