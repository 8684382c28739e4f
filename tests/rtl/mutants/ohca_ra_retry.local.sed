# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what failed locally hides what the peer refused
s/say_i\.lerr \&\& !act_err;/say_i.lerr;/
