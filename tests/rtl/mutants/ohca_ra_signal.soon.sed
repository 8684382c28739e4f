# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a timer that is due while responses are under way counts
s/10'd0 \&\& !hit_i;/10'd0;/
