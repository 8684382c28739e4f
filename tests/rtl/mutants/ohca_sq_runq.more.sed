# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A list may have all that is free but what the queue keeps.
# in: Leave=16-NumVl=4
s/free > chunks\[ChW\*g \+: ChW\] && //
