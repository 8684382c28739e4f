# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what is void is kept
s/c_hit_q    <= b_line\.keep \&\& /c_hit_q    <= /
