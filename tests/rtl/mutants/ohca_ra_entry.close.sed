# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a token that is being walked goes on taking ACKs
s/if \(shuts\[i\]\) open_q\[i\] <= 1'b0;//
