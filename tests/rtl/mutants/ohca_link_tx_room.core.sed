# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A packet of the management core waits for a stuck VL for ever.
# in: link_rules-ohca_link-DataWidth=64
s/(!enough_q) && stuck_o\[.*\]\);/\1 \&\& 1'b0);/
