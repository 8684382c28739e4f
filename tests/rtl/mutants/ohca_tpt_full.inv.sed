# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an invalidation does not wait for what is under way
# in: DW=512
s/InvWait:   if \(quiet_o\)/InvWait:   if (p_idle || quiet_o)/
