# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# An ACK is merged into the oldest one of its QP, across others.
s/if \(a_turned\[i\]\) begin/if (a_turned[i] \&\& !a_any) begin/
