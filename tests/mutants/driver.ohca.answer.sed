# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an answer is written as far as it goes, not as there is room
s/min\(sizeof\(\*\(resp\)\), \(udata\)->outlen\)/sizeof(*(resp))/
