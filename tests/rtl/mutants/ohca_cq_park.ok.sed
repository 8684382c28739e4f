# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what a failed read brought is believed
s/data_i\(\{!rd_rsp_err_i, /data_i({1'b1, /
