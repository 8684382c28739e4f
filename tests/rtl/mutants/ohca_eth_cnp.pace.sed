# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_cnp
# a CNP that is not sent for its pace renews the pace
s/assign go    = state_q == S_AGED && !young_q;/assign go    = state_q == S_AGED;/
