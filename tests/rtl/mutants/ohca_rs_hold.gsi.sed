# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a packet to QP1 is decided before its P_Key is known
s/QP_TYPE_GSI\) \? C_GSI : C_ACT/QP_TYPE_GSI) ? C_ACT : C_ACT/
