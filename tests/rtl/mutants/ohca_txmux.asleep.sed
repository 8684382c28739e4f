# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# It is idle while words of a descriptor are on their way.
# in: Compact=1
s/!sp_valid && resp_txd_ready_o && sq_txd_ready_o/!sp_valid/
