# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an interrupt does not wait for its EQE
# in: DW=512
s/assign passed       = .*$/assign passed       = f_valid;/
