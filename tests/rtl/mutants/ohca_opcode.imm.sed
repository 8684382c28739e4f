# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a WRITE ONLY with immediate data is taken for one without
s/^(      5'h0b: .*is\.reth = 1'b1;) is\.imm = 1'b1;/\1/
