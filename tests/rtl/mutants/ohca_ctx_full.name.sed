# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a number that was evicted twice is found at a place that is neither
# in: DW=128
s/if \(ev_name\) ev_valid_q <= .*//
s/\(mq_at & mq_no\) != .0 \? mq_age : //
