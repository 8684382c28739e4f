# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# phases do not begin anew with a new ring
# in: Compact=1
s/\{n\.base_hi, n\.base_mid, n\.base_lo\} = c\.pi\[21:0\];//
