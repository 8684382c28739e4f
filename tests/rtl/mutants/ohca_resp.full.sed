# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a READ that finds no place behind writes holds up the input
# in: resp-Slots=16-PerSlot=32
s/w_some \|\| f_full_s \|\|/w_some ||/
