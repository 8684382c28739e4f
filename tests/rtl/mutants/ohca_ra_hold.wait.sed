# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the time of a wait is that of an answer that does not come
s/\(told_o \&\& news_act_i == ohca_fmt_pkg::RA_ACT_RNR\)/1'b0/
