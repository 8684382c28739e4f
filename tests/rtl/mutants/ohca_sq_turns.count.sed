# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Turns that come back unused stay in the count of their class.
# in: NumVl=4
s/assign gc    = fc_q && .*;/assign gc    = 1'b0;/
