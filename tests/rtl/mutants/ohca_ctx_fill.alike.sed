# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a number that is named as another one is found at a place that is neither's
# in: DW=128
s/\(mq_at & mq_no\) != .0 \? mq_age : //
