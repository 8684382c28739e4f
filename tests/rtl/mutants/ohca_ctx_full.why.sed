# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# of a fill that failed it is not said why
s/else if \(!o1_hand && !w_take && m_poison\) o2_hot_q\[0\] <= m_dma;//
