# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# An ACK is merged into the oldest one of its QP, across others.
# in: Acks=16
s/if \(fit_t\[i\]\) begin/if (fit_t[i] \&\& !any) begin/
