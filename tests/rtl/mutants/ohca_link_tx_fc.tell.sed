# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Credits are told for each block that is free, not when a quarter of the share is.
# in: link_credits-ohca_link-DataWidth=64-RoCE=0
s/>= thr_i\)/>= 12'd1)/
