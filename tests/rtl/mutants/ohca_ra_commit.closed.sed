# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an ACK is merged into a token that the walk has closed since it was decided
# in: Compact=1
s/ \&\& !\(say_o.merge \&\& !open_i\)//
