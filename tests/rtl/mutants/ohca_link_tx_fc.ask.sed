# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Who has no credit waits for the period to say what it has sent.
# in: fc_lost-ohca_link-DataWidth=64-RoCE=0
s/ask_age_q == 7'h7f\)/1'b0)/
