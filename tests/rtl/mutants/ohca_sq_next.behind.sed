# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Completed WQEs are sent again.
s/if \(behind_i\) begin/if (1'b0) begin/
