# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The event of a CQ that cannot be written stands for the one that waits.
# in: DW=64
s/(assign p_both    = ).*/\11'b0;/
