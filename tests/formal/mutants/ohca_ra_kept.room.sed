# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What misses is looked up without room for it where the ring is read.
s/ && !ring_most;/;/
