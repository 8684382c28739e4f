# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the upper half of a line is not written
# in: Halves=1
s/assign we = o2_ram_we \|\| w2_q \|\|/assign we = o2_ram_we ||/
