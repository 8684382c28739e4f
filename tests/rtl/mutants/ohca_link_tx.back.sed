# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The room of a packet that failed is lost.
# in: link_rules-ohca_link-DataWidth=64
s/^( *)assign back    = 13.\(w_words\) - .*/\1assign back    = !good ? 13'd0 : 13'(w_words) - 13'((32'(len) + Lanes - 1) \/ Lanes);/
