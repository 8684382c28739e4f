# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fence does not wait for the writes to be acknowledged
# in: DW=64
s/fence_q \&\& left\[31\]/1'b0/g
