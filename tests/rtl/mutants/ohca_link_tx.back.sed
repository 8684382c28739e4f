# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The room of a packet that failed is lost.
# in: link_rules-ohca_link-DataWidth=64
s/back_valid_q <= w_fire && w_last && charged/back_valid_q <= w_fire \&\& w_last \&\& charged \&\& good/
