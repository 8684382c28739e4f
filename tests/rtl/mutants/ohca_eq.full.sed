# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# one EQE too many
# in: DW=64
s/assign full     = .*;/assign full     = |(used \& ~within_ring \& (used - 24'd1));/
