# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a record that cannot be read is taken for one that says something
s/\{rd_rsp_err_i, word\[15:0\]\}/{1'b0, word[15:0]}/
