# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: nic-DataWidth=64
# the end does not wait for acknowledgements
s/assign wr_busy = .*;/assign wr_busy = st_q != W_IDLE;/
