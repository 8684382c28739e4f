# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a beat's place is free before it is taken
# in: Compact=1
s/Compact \? b_gone_q : b_pop/Compact ? b_valid : b_pop/
