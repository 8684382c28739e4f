# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# all seven path bits count, whatever the LMC
s/ & ~\(7'h7f << lmc_i\)//
