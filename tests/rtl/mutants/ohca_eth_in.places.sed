# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# fewer places for verdicts than for beats: that of a short frame is lost
s/\.Depth\(Depth\), \.UseRam\(1'b0\)\) u_verdict/.Depth(2), .UseRam(1'b0)) u_verdict/
