# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# a full buffer pauses nobody
s/\(full_q \? 8'hff : much_q\)/much_q/
