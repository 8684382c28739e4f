# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: nic-DataWidth=64
# a frame ends in its second page
s/more_q        <= end_q > 15'd8192/more_q        <= 1'b0/
