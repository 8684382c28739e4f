# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the cold half is not taken while another context is written
# in: Pass=1-HotBytes=64
s/always_ff @\(posedge clk_i\) if \(o2_open \&\& o1_valid_q\) cold_q/always_ff @(posedge clk_i) if (o2_open \&\& o1_valid_q \&\& !w_valid_q) cold_q/
