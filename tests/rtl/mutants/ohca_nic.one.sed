# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: nic-DataWidth=512
# the only beat of a frame's last piece is not marked
s/wr_dat_last_o <= left == .*;/wr_dat_last_o <= 1'b0;/
