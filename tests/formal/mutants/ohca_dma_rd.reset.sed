# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a beat that is on its way in the cycle of a reset comes to its client
# in: Soft=1
s/assign s1_dead = dead_q\[s1_slot_q\] \|\| soft_rst_i;/assign s1_dead = dead_q[s1_slot_q];/
