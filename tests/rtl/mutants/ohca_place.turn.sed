# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a packet of another client comes between the pieces of one
s/!\(arb_ready && a\.last\)/!arb_ready/
