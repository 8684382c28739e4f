# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a token that was held is compared by the set of the one behind it: it sees an old tag
# in: DW=128
s/hold_q \? as_hold :/hold_q ? as_lk :/
