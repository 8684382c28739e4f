# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what comes in the cycle of the release leaves no mark
s/take \? '0 : missed;/'0;/
