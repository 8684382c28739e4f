# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# who it is for is taken from the length
s/to_host_q <= wdata_i\[16\]/to_host_q <= wdata_i[9]/
