# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a number that is taken gets the QP of what is in turn behind it
s/if \(turn_i\) qpn_q/qpn_q/
