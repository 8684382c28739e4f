# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# a tagged frame is cut like others
s/tag_q  <= tag;/tag_q  <= 1'b0;/
