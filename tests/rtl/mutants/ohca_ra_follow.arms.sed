# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# room for a timer is promised for one too many, though it is seen late
s/AlmostFull\(Arms - 2\)/AlmostFull(Arms)/
