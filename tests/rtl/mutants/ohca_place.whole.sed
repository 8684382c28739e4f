# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# pieces before the one that is refused are written
# in: DW=64
s/assign x_fail     = .*/assign x_fail     = k_last \&\& d_fail;/
