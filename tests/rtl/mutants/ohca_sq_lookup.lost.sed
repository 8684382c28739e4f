# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A QP that found the run queue full is forgotten.
s/if \(lost_i\) lost_q <= 1'b1;/if (lost_i) lost_q <= 1'b0;/
