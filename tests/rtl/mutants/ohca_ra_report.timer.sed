# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the timer runs anew with each packet sent
s/lk\.run \&\& !lk\.open;/lk.run;/
