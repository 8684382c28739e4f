# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# VL15 may have all of the buffer.
s/if \(x_used_q >= 12'\(XMax\) && !eth\)/if (1'b0)/
