# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an entry that is found ends the search although that of the frame behind has begun
# in: Lanes=2
s/ \&\& !b_last_q;/;/
