# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the last member of a node is left out when a copy of the one before it waits
s/if \(found && step\) hold_v_q <= 1'b1;/if (found \&\& step \&\& !hold_v_q) hold_v_q <= 1'b1; if (found \&\& !out_free) dv_q <= 1'b0;/
