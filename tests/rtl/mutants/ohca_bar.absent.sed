# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what is written to a wide port that is not there is answered OKAY
# in: HwCfg
s/n_b, 2'b10\}/n_b, 2'b00}/
