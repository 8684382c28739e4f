# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# one priority that has too much pauses all
s/full_q \? 8'hff : much_q/(full_q || much_q != '0) ? 8'hff : 8'd0/
