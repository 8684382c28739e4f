# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a failed fill takes the tag of its successor along
# in: DW=512-LineBytes=64
s/&& q1 == s1_dseq_q\) : \(v0 && q0 == s1_dseq_q\)/\&\& q1 != ~s1_dseq_q) : (v0 \&\& q0 != ~s1_dseq_q)/
