# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the READ behind the turn's may go in the cycle after it came, though it has to wait
s/ \&\& !holds\[turn_i\]\)/)/
