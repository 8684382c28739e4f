# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a slot is drawn where none is free
s/slot_any_q <= !rst_i .*$/slot_any_q <= !rst_i \&\& (slot_draw || slot_any_q);/
