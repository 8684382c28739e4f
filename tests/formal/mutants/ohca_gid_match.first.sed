# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# of two entries the later one is taken
# in: Lanes=2
s/assign idx_o   = .*;/assign idx_o   = idx;/
