# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# behind the line that a READ goes on with, lines of others are read ahead
s/b_togo_q > \(b_left \| \{b_line\[62:0\], 1'b0\}\);/1'b1;/
