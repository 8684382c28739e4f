# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# One request is enough for several responses that were on their way.
# in: NumVl=4
s/owed_q - 2'd1/2'd0/
