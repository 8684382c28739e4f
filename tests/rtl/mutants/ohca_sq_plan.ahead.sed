# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a header that was read ahead is forgotten when the plan begins, so its number in the batch is wrong
s/else if \(begin_i\)  \{first_q, kr_q\} <= \{!pre_q, 2'd0, pre_q\};/else if (begin_i)  {first_q, kr_q} <= 4'b1000;/
