# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the ACK that leaves is the one with the other VL's number
# in: NumVl=2
s/head    <= rd_o\[vl_d\]/head    <= rd_o[last_q]/
