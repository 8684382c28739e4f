# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Checksums are asked of a device that has none.
# in: Csum=0
s/\(Csum \|\| !hc\.rsvd0\[2\]\)/1'b1/
