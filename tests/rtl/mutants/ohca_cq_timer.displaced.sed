# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# who stands in the place of another is forgotten
s/assign other  = .*/assign other  = 1'b0;/
