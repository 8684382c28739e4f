# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a read ahead is forgotten beside a completion that is parked
s/look_i \|\| \(look_q \&\& park_i\)/look_i/
