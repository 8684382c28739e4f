# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# another client comes between the pieces of a packet
s/!\(fire_i \&\& last_i\)/!fire_i/
