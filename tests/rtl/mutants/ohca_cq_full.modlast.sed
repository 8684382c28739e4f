# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an event waits for one completion too many
# in: DW=64
s/assign last       = \(is_comp \? c\.pi : t_ci\) \+/assign last       = (is_comp ? c.pi : t_ci) + 24'd1 +/
