# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The place of a frame's IPv6 header is that of a GRH.
s/\(\(a_eth && a_v6\) \? 20'd20 : 20'd0\)/20'd0/
