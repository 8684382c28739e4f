# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# room that the piece before was found to have is the next one's
# in: txb_read-DW=64-Compact=1-Pieces=16-BufBytes=8192
s/s_valid_q \&\& !s_go \&\& s_fits;/s_fits;/
