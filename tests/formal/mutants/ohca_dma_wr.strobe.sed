# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the last beat is written whole
s/if \(w_last\)  strb = .*$//
