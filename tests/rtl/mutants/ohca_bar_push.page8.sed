# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a doorbell keeps eight bits of its page's number
s/x_page_q <= page_i;/x_page_q <= {8'd0, page_i[7:0]};/
