# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a token goes to W though there is no room
# in: Compact=1
s/w_ready_i \&\& st_ready_i \&\&/st_ready_i \&\&/
