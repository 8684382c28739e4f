# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a batch is looked up where there is room for one report only
s/t2_valid_i && two_q/t2_valid_i \&\& one_q/
