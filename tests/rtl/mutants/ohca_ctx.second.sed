# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a second token is offered while the upper half of the first is being written
# in: Halves=1
s/assign out_valid_o = o2_valid_q && !w2_q;/assign out_valid_o = o2_valid_q;/
