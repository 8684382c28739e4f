# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a change of the link while the last one is read is forgotten
s/^    if \(phy_seen_q != phy_link_up_i\) phy_evt_q <= 1'b1;/    if (phy_seen_q != phy_link_up_i \&\& !rd_i) phy_evt_q <= 1'b1;/
