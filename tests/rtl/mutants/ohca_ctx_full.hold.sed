# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an invalidated line is taken for its write-back while another is being written back
# in: DW=128
s/iv_wait_q && wb_busy\);/1'b0);/
s/iv_wait_q && !wb_busy;/iv_wait_q;/
