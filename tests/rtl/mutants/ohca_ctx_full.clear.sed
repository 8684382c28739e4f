# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fill that has waited for a write-back lets the next one go without
# in: DW=128
s/mq_valid && !icm_fire && !mq_left/mq_valid \&\& !mq_left/
