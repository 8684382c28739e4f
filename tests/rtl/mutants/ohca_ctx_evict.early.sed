# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a line is taken from the list in the cycle in which it is written there
# in: DW=512-LineBytes=64
s/ && !resolve_i && !resolve_q;/;/
