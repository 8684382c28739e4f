# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an interrupt during its own message is lost
# in: NumVec=32
s/M_READ: begin/M_READ: begin pend_q[8'(vec_q)] <= 1'b0;/; s/if \(\(!aw_q \|\| m_axil_awready_i\)/pend_q[8'(vec_q)] <= 1'b0; &/
