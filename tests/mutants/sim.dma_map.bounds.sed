# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the end of a region of guest memory is not looked at
s/r->size - \(iova - r->iova\) < len/0/
