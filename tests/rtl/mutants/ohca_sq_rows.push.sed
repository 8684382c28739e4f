# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fetched word is lost where a pushed WQE is written
s/assign word_ready_o = .*;/assign word_ready_o = 1'b1;/
