# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Inline words are taken to begin where the last host piece did.
s/assign g_off   = \(o_host && !mid_q\)/assign g_off   = (!mid_q)/
