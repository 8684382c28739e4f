# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an entry begins with number 0, wherever its last user ended
s/hit_o \? seq_q\[e_o\] : exp_q\[free_q\]/hit_o ? seq_q[e_o] : '0/
