# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a line that is here passes what was asked for before
s/full_q\[odd\]\[slot_q\] \&\& out_q == '0;/full_q[odd][slot_q];/
