# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the first word of an unaligned range is wrong
# in: DW=512
s/at  = cnt \+ 9'\(o_first\)/at  = cnt + 9'(o_first[1])/
