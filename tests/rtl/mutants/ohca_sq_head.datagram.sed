# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# datagrams take the place of what is answered
# in: sq-DW=64-Sets=16
s/new_q \&\& !h_ud \&\& /new_q \&\& /
