# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an expiry that comes early leaves its QP without a timer
s/disarm   = time_/disarm   = (time_ \&\& !(lk.run \&\& !lk.due \&\& !lk.round))/
