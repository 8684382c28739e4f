# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the newest answer that comes again says nothing of credits
s/credits = lk\.credits;/credits = lk.credits \&\& lk.in_win;/
