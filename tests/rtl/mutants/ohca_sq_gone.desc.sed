# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a descriptor that leaves during the walk is passed by
s/\(busy_o \&\& desc_qpn_i == qpn_q\)/1'b0/
