# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The packet that was chosen goes, whether it may now or not: the one before it took the credits.
# in: link_rules-ohca_link-DataWidth=64
s/pick == QW'\(i\) && may\[i\]/pick == QW'(i) \&\& have[i]/
