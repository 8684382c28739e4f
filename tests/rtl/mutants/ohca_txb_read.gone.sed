# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what is said of a piece's slot until it is translated is passed by
s/\(gone_i\[s_q\.slot\] \&\& .*\);/1'b0;/
