# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what comes behind a failure is confirmed
s/assign state      = fire \&\& !dead;/assign state      = fire;/
