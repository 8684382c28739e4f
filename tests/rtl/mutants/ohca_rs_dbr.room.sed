# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# background reads are counted too late
s/5.\(ask_i \&\& !wait_i\)/5'(ask_i \&\& !wait_i \&\& !rd_rsp_valid_i)/
