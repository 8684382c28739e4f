# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# every burst ends its request
s/rsp_last_o <= s1_last_q \&\& s1_final;/rsp_last_o <= s1_last_q;/
