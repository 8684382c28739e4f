# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a piece of a QP that was reset leaves
s/p_put  = !gone_q;/p_put  = 1'b1;/
