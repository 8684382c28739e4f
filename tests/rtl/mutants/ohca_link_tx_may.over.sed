# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A destination is free at once if its place was free of another one before.
# in: link_tx_may
s/over_q\[i\]  <= left_hold_i.*;//
