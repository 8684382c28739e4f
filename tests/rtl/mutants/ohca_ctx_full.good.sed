# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an entry whose fill had failed passes for one with content
# in: DW=512-LineBytes=64
s/\.good_i\(!m_poison \|\| m_hot\)/.good_i(1'b1)/
