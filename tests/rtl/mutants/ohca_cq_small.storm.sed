# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: Compact=1
# every arm fires for entries that an event was sent for
s/a_good \&\& !c\.told \&\&/a_good \&\&/
