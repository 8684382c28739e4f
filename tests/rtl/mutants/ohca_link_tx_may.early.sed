# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A destination is free again while a packet to it is under way.
# in: link_tx_may
s/act\[i\]  = busy_q\[i\] \|\| /act[i]  = /
