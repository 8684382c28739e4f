# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a link packet's CRC error in the cycle of another packet's is not counted
# in: link_rules
s/assign lp_now = .*/assign lp_now = lp_q != '0;/
