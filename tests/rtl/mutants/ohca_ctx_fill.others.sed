# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fill waits for the write-backs of all that was evicted before, not of its own number only
# in: Evicts=4-KeepBits=928-Pass=1
s/assign mq_end      = .*/assign mq_end = mq_age;/
