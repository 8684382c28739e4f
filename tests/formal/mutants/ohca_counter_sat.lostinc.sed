# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an increment in the cycle of a write is lost
s/\(Width \+ 1\)'\(inc_i\)/(wr_en_i ? '0 : (Width + 1)'(inc_i))/
