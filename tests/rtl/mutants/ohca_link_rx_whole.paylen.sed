# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The length in a GRH is not looked at.
s/end else if \(l_ib\[287:272\] != .*\) begin/end else if (1'b0) begin/
