# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what is said of the first slot is said of the one behind it
s/done_o  = valid_q \&\& done_i\[slot_o\]/done_o  = valid_q \&\& done_i[f_slot]/
