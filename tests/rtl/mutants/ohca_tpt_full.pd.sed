# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the protection domain is compared in part
# in: DW=128
s/m\.pd != p\.pd/m.pd[15:0] != p.pd[15:0]/
