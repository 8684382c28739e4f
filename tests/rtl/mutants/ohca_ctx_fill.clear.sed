# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fill that has waited for a write-back lets the next one go without
# in: DW=128
s/(mq_(seen|clear)_q) +<= !rst_i && mq_valid && !icm_fire/\1 <= !rst_i \&\& mq_valid/
