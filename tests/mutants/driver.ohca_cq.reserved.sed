# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# reserved bytes of a CQ's request are not looked at
s/ \|\| memchr_inv\(req\.reserved, 0, sizeof\(req\.reserved\)\)//
