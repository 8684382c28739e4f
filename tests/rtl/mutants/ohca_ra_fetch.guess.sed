# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the next token of a READ begins at its own WQE again
s/p_una_d = una_q \+ \{8'd0, cnt\};/p_una_d = una_q;/
