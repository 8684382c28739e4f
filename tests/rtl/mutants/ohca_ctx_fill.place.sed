# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fill waits for a younger eviction than its number's, where the ring has begun anew in between
# in: Evicts=4-KeepBits=928-Pass=1
s/mq_at >= mq_age\[EvW-1:0\]/1'b0/
