# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the second register does not begin anew at a visit
# in: port
s/if \(rst_i .. take_i\) +hi_q/if (rst_i) hi_q/
