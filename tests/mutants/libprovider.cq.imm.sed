# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# immediate data of a SEND is not announced
s/op == OHCA_WC_OP_RECV_IMM \|\| //
