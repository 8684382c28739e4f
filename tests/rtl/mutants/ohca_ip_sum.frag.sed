# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: ip_sum-DataWidth=64
# the first fragment counts as whole
s/frag_q <= \{k_dw\[2\]\[21:16\]/frag_q <= {k_dw[2][20:16]/
