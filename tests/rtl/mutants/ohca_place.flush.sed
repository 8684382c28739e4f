# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the last beat of a piece gets lost
# in: DW=128
s/ahead && dmore == smore\)/ahead \&\& dmore > smore)/
