# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a token is decided by what was asked of the one before
# in: DW=64
s/\(stands_q \|\| !slow\)/(stands_q || 1'b1)/
