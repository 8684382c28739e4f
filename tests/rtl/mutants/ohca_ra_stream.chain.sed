# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# READ data behind a refused packet is written
# in: DW=512
s/if \(g_done \&\& l_e == EW'\(i\)\) echain_q\[i\] <= 1'b1;//
