# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a timer that is due while responses are under way counts
s/say_o\.due      = lk\.due \&\& !hit_i;/say_o.due = lk.due;/; s/lk\.tmo \&\& !hit_i;/lk.tmo;/
