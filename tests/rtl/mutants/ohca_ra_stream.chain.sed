# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# READ data behind a refused packet is written
# in: DW=512
s/if \(l_placed \&\& l_e == EW'\(i\)\) echain_q\[i\] <= 1'b1;//
