# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a line is read again although the token before hands it over, and its token goes on meanwhile
# in: DW=128
s/!w_hit && !o1_hand && !o1_bad &&/!w_hit \&\& !o1_bad \&\&/
