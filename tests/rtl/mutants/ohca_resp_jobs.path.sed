# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the path of an Ethernet port is cut to what InfiniBand has
s/av_full\(320'\(out\[AvW-1:0\]\), RoCE\)/av_full(320'(out[AvW-1:0]), 1'b0)/
