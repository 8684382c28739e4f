# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a reset client gets its old data
# in: DW=512
s/assign deliver = take \&\& dead_q == '0 \&\& !soft_rst_i;/assign deliver = take \&\& !soft_rst_i;/
