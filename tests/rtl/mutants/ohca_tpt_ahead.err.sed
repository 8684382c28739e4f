# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a line that failed to be read ahead is kept
s/ \&\& !h_rsp_err_i \&\& !in_err_q;/;/
