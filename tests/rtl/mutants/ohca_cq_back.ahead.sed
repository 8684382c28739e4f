# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an event leaves while the data of its CQE is not taken yet
# in: DW=64
s/assign dat_ok = .*;/assign dat_ok = 1'b1;/
