# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a token gets the answer of a background read
s/di_pop \&\& !di_bg\), \.ready_o/di_pop), .ready_o/
