# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a record that was read ahead is not believed
# in: DW=512
s/= looked \? good \&\& newer :/= looked ? 1'b0 :/
