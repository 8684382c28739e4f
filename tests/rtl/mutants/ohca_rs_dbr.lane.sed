# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the index is taken from where another record lies
s/di_lane\) %/di_lane \^ 6'd1) %/
