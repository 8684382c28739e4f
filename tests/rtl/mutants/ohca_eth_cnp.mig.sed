# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_cnp
# a CNP carries MigReq
s/    txd.bth_op    = ohca_fmt_pkg::BTH_OP_CNP;/&txd.migreq = 1'b1;/
