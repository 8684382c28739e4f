# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a packet that fails gives its number away
s/r_fire_i \&\& r_free_i/r_fire_i/
