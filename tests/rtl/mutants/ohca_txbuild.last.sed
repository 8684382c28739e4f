# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a packet whose last bytes come a beat after its payload leaves though its QP was reset
s/op_err   = p_q.drop \|\| p_q.gone/op_err   = p_q.drop/
