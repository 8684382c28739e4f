# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the later words of a commit go where the next lookup goes
# in: Small=1
s/later_busy \? later_set_q : set_q;/set_q;/
