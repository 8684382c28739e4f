# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# all is quiet though a READ waits
s/wr_acked_i\[15:0\] && count == '0;/wr_acked_i[15:0];/
