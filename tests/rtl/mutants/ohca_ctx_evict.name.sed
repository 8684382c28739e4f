# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a number is named by an entry after it has missed because of it
# in: DW=128
s|if \(name_i && ev_match\[i\]\) ev_valid_q\[i\] <= 1.b0;||
