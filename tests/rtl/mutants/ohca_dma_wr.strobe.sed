# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the last beat is written whole
# in: DW=512
s/if \(w_last\)  strb = .*$//
