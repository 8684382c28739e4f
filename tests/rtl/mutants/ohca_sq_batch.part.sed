# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a WQE of which a part is sent is fetched with others
s/max_ok\[3\]  = !l.in_msg \&\& /max_ok[3]  = /
