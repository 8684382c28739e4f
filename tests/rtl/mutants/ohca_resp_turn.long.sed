# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a turn has a packet more than it should
s/n_d == 3'\(Turn\)/n_q == 3'(Turn)/
