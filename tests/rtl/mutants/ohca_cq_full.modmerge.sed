# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an event that waits and the arm that came beside it are both used up by the timer
# in: DW=64
s/^          n\.wait_   = 1'b0;$/          n.wait_ = 1'b0; if (t_ci_ok) n.armed = 1'b0;/
