# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an eviction counts as written as soon as it is issued
# in: DW=128
s/\(ack_valid && !ack_age\[15\]\)/(ack_valid \&\& (!ack_age[15] || ack_age[14]))/
