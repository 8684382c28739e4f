# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fill does not wait for the write-back of its number
# in: DW=128
s/mq_valid && \(!mq_conf \|\| mq_clear_q\)/mq_valid/
